#include <answer.h>
#include <shape.h>
#include <squares.h>
#include <stdio.h>

int main(void) { printf("tool: %d %d %d\n", answer(), area(6, 7), squares[9]); }
