const char* text(void);
