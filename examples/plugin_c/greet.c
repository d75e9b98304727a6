/* greet: a line of greeting for each name in the sources' names.txt, kept as share/greetings.txt.
 *
 *   [element.cards]
 *   kind = "greet"
 *   source = [{ kind = "local", path = "names.txt" }]
 *   config.greeting = "Good morning"                       # "Hello" if there is none */
#include <stdlib.h>
#include <string.h>

#include "json.h"

/* A view of a text that is written here. */
#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static const weir_view kNothing = {NULL, 0};

static weir_view view(const char* text) {
  const weir_view all = {text, strlen(text)};
  return all;
}

static weir_status refuse(const weir_reply* reply, weir_view path, const char* message, const char* remedy) {
  reply->complain(reply, path, view(message), view(remedy));
  return WEIR_REFUSED;
}

static weir_status broken(const weir_reply* reply, const char* message) {
  reply->complain(reply, kNothing, view(message), kNothing);
  return WEIR_BROKEN;
}

/* Answers with before, middle and after as one document. */
static weir_status give(const weir_reply* reply, const char* before, weir_view middle, const char* after) {
  const size_t head = strlen(before), body = (size_t)middle.size, tail = strlen(after);
  char* text = malloc(head + body + tail);
  if (!text) return broken(reply, "there is no memory left");
  memcpy(text, before, head);
  memcpy(text + head, middle.data, body);
  memcpy(text + head + body, after, tail);
  {
    const weir_view document = {text, head + body + tail};
    reply->give(reply, document);
  }
  free(text);
  return WEIR_OK;
}

static weir_status resolve(weir_view config, const weir_reply* reply) {
  weir_status status = WEIR_OK;
  weir_view greeting = TEXT("\"Hello\"");
  json_members members = json_open(config);
  json_member member;
  while (json_next(&members, &member)) {
    if (!json_equal(member.key, "greeting"))
      status = refuse(reply, member.key, "the kind greet does not know this key", "it knows \"greeting\"");
    else if (!json_is_string(member.value))
      status = refuse(reply, member.key, "\"greeting\" has to be a string", "");
    else greeting = member.value;
  }
  if (members.broken) return broken(reply, "the configuration cannot be read");
  return status == WEIR_OK ? give(reply, "{\"greeting\":", greeting, "}") : status;
}

/* The greeting is a word of its own: no shell reads it as anything but text. */
static weir_status plan(weir_view document, const weir_reply* reply) {
  static const char before[] =
      "{\"steps\":[{\"run\":[\"sh\",\"-e\",\"-c\","
      "\"mkdir -p \\\"$WEIR_OUT/share\\\"\\n"
      "while read -r name; do printf '%s, %s!\\\\n' \\\"$1\\\" \\\"$name\\\"; done <names.txt "
      ">\\\"$WEIR_OUT/share/greetings.txt\\\"\","
      "\"greet\",";
  const weir_view greeting = json_find(json_find(document, "config"), "greeting");
  if (!json_is_string(greeting)) return broken(reply, "the request has no greeting");
  return give(reply, before, greeting, "]}]}");
}

static const weir_element_v1 greet = {
    {sizeof(weir_element_v1), 1, 0, 0, TEXT("greet"), TEXT("{\"greeting\":\"Good morning\"}")},
    TEXT("[\"sh\"]"),
    resolve,
    plan,
};

static const weir_offer offers[] = {{TEXT(WEIR_ELEMENT), &greet}};

static const weir_plugin plugin = {
    sizeof(weir_plugin), WEIR_ABI_MAJOR, WEIR_ABI_MINOR, TEXT("example-greet"), TEXT("1.0"), 1,
    sizeof(weir_offer),  offers,
};

const weir_plugin* weir_plugin_entry_v1(const weir_host* host) {
  (void)host;
  return &plugin;
}
