/* The kinds of the plugins in this folder, which differ in the size of their tables alone: an element `abi`
 * that is its sources, a source `abi` that is the folder src of the project, and a queue `abi` that does
 * nothing. */
#ifndef WEIR_TESTS_ABI_KINDS_H
#define WEIR_TESTS_ABI_KINDS_H

#include <string.h>
#include <weir/plugin.h>

#define VIEW(text) \
  { text, sizeof text - 1 }
#define NOTHING \
  { NULL, 0 }
#define HEAD(table, example) \
  { sizeof table, 1, 0, 0, VIEW("abi"), VIEW(example) }

static weir_status give(const weir_reply* reply, const char* document) {
  const weir_view view = {document, strlen(document)};
  reply->give(reply, view);
  return WEIR_OK;
}

static weir_status resolve_as(const char* only, weir_view document, const weir_reply* reply) {
  const weir_view none = NOTHING, message = VIEW("there is nothing to configure"),
                  remedy = VIEW("take it away");
  if (document.size == strlen(only) && memcmp(document.data, only, document.size) == 0)
    return give(reply, only);
  reply->complain(reply, none, message, remedy);
  return WEIR_REFUSED;
}
static weir_status resolve_nothing(weir_view document, const weir_reply* reply) {
  return resolve_as("{}", document, reply);
}
static weir_status resolve_path(weir_view document, const weir_reply* reply) {
  return resolve_as("{\"path\":\"src\"}", document, reply);
}

static weir_status element_plan(weir_view document, const weir_reply* reply) {
  (void)document;
  return give(reply, "{\"steps\":[{\"copy\":\"build\",\"to\":\"install/weir\"}]}");
}
static weir_status source_describe(weir_view document, const weir_reply* reply) {
  (void)document;
  return give(reply, "{\"content\":{\"path\":\"src\"}}");
}
static weir_status queue_classify(weir_view document, const weir_reply* reply) {
  (void)document;
  return give(reply, "{\"is\":\"ready\"}");
}
static weir_status queue_plan(weir_view document, const weir_reply* reply) {
  (void)document;
  return give(reply, "{\"steps\":[]}");
}

#endif
