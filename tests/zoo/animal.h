/* A plugin with the element kind `animal` that is right in everything; an animal puts in what is wrong with
 * it. */
#ifndef WEIR_ZOO_ANIMAL_H
#define WEIR_ZOO_ANIMAL_H

#include <string.h>
#include <weir/plugin.h>

#define VIEW(text) \
  { text, sizeof text - 1 }

static inline weir_view view_of(const char* text) {
  weir_view view = {text, 0};
  view.size = strlen(text);
  return view;
}
static inline weir_status answer(const weir_reply* reply, const char* document) {
  reply->give(reply, view_of(document));
  return WEIR_OK;
}

static inline weir_status good_resolve(weir_view document, const weir_reply* reply) {
  if (document.size == 2) return answer(reply, "{}");
  reply->complain(reply, view_of(""), view_of("there is nothing to configure"), view_of("take it away"));
  return WEIR_REFUSED;
}
static inline weir_status good_plan(weir_view document, const weir_reply* reply) {
  (void)document;
  return answer(reply, "{\"steps\":[{\"run\":[\"true\"]}]}");
}

#define TABLE_OF(size, resolve, plan)    \
  static const weir_element_v1 table = { \
      {(size), 1, 0, 0, VIEW("animal"), VIEW("{}")}, {NULL, 0}, resolve, plan};
#define TABLE(resolve, plan) TABLE_OF(sizeof(weir_element_v1), resolve, plan)
#define OFFER static const weir_offer offers[] = {{VIEW(WEIR_ELEMENT), &table}};
#define PLUGIN_OF(size, major, count, offers)                                               \
  static const weir_plugin plugin = {(size),      (major), WEIR_ABI_MINOR,     VIEW("zoo"), \
                                     VIEW("1.0"), (count), sizeof(weir_offer), offers};
#define PLUGIN PLUGIN_OF(sizeof(weir_plugin), WEIR_ABI_MAJOR, sizeof offers / sizeof *offers, offers)
#define ENTRY                                                      \
  const weir_plugin* weir_plugin_entry_v1(const weir_host* host) { \
    (void)host;                                                    \
    return &plugin;                                                \
  }

#define ANIMAL(resolve, plan) TABLE(resolve, plan) OFFER PLUGIN ENTRY

/* One whose resolve does this with `reply`. */
#define RESOLVES(...)                                                       \
  static weir_status resolve(weir_view document, const weir_reply* reply) { \
    (void)document;                                                         \
    (void)reply;                                                            \
    __VA_ARGS__;                                                            \
  }                                                                         \
  ANIMAL(resolve, good_plan)

/* One that plans this. */
#define PLANS(document_text)                                             \
  static weir_status plan(weir_view document, const weir_reply* reply) { \
    (void)document;                                                      \
    return answer(reply, document_text);                                 \
  }                                                                      \
  ANIMAL(good_resolve, plan)

#endif
