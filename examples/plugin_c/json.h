/* As much JSON as this plugin needs: the members of an object, each value as the text that it is in the
 * document. Nothing is copied, and a string keeps its quotes and escapes, so that it can be put into an
 * answer as it is. */
#ifndef GREET_JSON_H
#define GREET_JSON_H

#include <weir/plugin.h>

typedef struct json_member {
  weir_view key;   /* between the quotes, escapes as they are */
  weir_view value; /* all of it: "text" with its quotes, {..}, [..], 12, true */
} json_member;

/* What is left of an object. */
typedef struct json_members {
  weir_view rest;
  int broken; /* it is no object after all */
} json_members;

json_members json_open(weir_view object);
/* 1 with the next member, 0 at the end. */
int json_next(json_members* members, json_member* member);
/* The value of a member; empty if there is none. */
weir_view json_find(weir_view object, const char* key);

int json_is_string(weir_view value);
int json_equal(weir_view text, const char* other);

#endif
