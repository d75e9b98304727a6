#include "json.h"

#include <string.h>

static char front(weir_view text) { return text.size > 0 ? *text.data : '\0'; }

static weir_view from(weir_view text, uint64_t count) {
  weir_view rest = {text.data, 0};
  if (count < text.size) {
    rest.data = text.data + count;
    rest.size = text.size - count;
  }
  return rest;
}

static weir_view without_spaces(weir_view text) {
  while (text.size > 0 && strchr(" \t\r\n", *text.data)) text = from(text, 1);
  return text;
}

/* The length of the string at the beginning, with both quotes; 0 if it does not end. */
static uint64_t string_length(weir_view text) {
  uint64_t at;
  if (front(text) != '"') return 0;
  for (at = 1; at < text.size; ++at) {
    if (text.data[at] == '"') return at + 1;
    if (text.data[at] == '\\') ++at;
  }
  return 0;
}

/* Brackets are counted, not matched: weir gives only documents that are right. */
static uint64_t nested_length(weir_view text) {
  uint64_t depth = 0, at = 0;
  while (at < text.size) {
    const char c = text.data[at];
    if (c == '"') {
      const uint64_t length = string_length(from(text, at));
      if (length == 0) return 0;
      at += length;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
    if (depth == 0) return at;
  }
  return 0;
}

static uint64_t word_length(weir_view text) {
  uint64_t at = 0;
  while (at < text.size && !strchr(",}] \t\r\n", text.data[at])) ++at;
  return at;
}

static uint64_t value_length(weir_view text) {
  switch (front(text)) {
    case '"': return string_length(text);
    case '{':
    case '[': return nested_length(text);
    default: return word_length(text);
  }
}

json_members json_open(weir_view object) {
  json_members members;
  members.rest = without_spaces(object);
  members.broken = front(members.rest) != '{';
  members.rest = without_spaces(from(members.rest, 1));
  return members;
}

static int give_up(json_members* members) {
  members->broken = 1;
  return 0;
}

int json_next(json_members* members, json_member* member) {
  weir_view rest = members->rest;
  uint64_t length;
  if (members->broken || front(rest) == '}') return 0;
  length = string_length(rest);
  if (length == 0) return give_up(members);
  member->key.data = rest.data + 1;
  member->key.size = length - 2;
  rest = without_spaces(from(rest, length));
  if (front(rest) != ':') return give_up(members);
  rest = without_spaces(from(rest, 1));
  length = value_length(rest);
  if (length == 0) return give_up(members);
  member->value.data = rest.data;
  member->value.size = length;
  rest = without_spaces(from(rest, length));
  if (front(rest) == ',') rest = without_spaces(from(rest, 1));
  else if (front(rest) != '}') return give_up(members);
  members->rest = rest;
  return 1;
}

weir_view json_find(weir_view object, const char* key) {
  const weir_view nothing = {NULL, 0};
  json_members members = json_open(object);
  json_member member;
  while (json_next(&members, &member))
    if (json_equal(member.key, key)) return member.value;
  return nothing;
}

int json_is_string(weir_view value) { return front(value) == '"'; }

int json_equal(weir_view text, const char* other) {
  return text.size == strlen(other) && memcmp(text.data, other, strlen(other)) == 0;
}
