#include <answer.h>
#include <sound.h>
#include <stdio.h>

int main(void) { printf("player: %s %d\n", sound(), answer()); }
