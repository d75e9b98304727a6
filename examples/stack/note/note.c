#include <stdio.h>
#include <text.h>

int main(void) { printf("note: %s\n", text()); }
