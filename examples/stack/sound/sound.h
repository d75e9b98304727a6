const char* sound(void);
