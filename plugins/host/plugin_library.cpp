#include "plugins/host/plugin_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "core/base/log.h"
#include "plugins/host/guard.h"
#include "plugins/host/library_file.h"

namespace weir {

namespace {

constexpr char kEntry[] = "weir_plugin_entry_v1";
constexpr std::uint32_t kLargestTable = 64 << 10;
constexpr std::uint32_t kMostOffers = 1000;
constexpr std::string_view kTypeNames[] = {"element", "source", "queue", "remote", "allocator", "placer"};

void host_log(weir_view text) {
  if (text.data && text.size <= WEIR_LONGEST_DOCUMENT)
    log_debug("plugin: {}", std::string_view(text.data, text.size));
}

const weir_host& host() {
  static constexpr std::string_view kVersion = WEIR_VERSION;
  static constexpr weir_host only = {
      sizeof(weir_host), WEIR_ABI_MAJOR, WEIR_ABI_MINOR, {kVersion.data(), kVersion.size()}, host_log};
  return only;
}

// Copies what both sides know of a struct that begins with its size.
template <class T>
T copy_known(const void* from) {
  T all{};
  std::uint32_t size = 0;
  std::memcpy(&size, from, sizeof size);
  std::memcpy(&all, from, std::min<std::size_t>(size, sizeof all));
  return all;
}

// One library while it is looked at. Everything that it says may be wrong.
class Reader {
 public:
  explicit Reader(PluginLibrary& library) : library_(library) {}

  Status read(const weir_plugin* raw) {
    if (!raw) return refuse("its entry returned no table", "it has to return a weir_plugin");
    if (auto good = check_size(raw, offsetof(weir_plugin, offers) + sizeof(raw->offers), "weir_plugin");
        !good)
      return good;
    const auto plugin = copy_known<weir_plugin>(raw);
    library_.abi_major = plugin.abi_major;
    library_.abi_minor = plugin.abi_minor;
    if (plugin.abi_major != WEIR_ABI_MAJOR)
      return refuse(
          fmt::format("it was built for ABI {}, and this weir has ABI {}", plugin.abi_major, WEIR_ABI_MAJOR),
          "build it again with the headers of this weir");
    if (auto good = text("name", plugin.name, library_.name); !good) return good;
    if (auto good = text("version", plugin.version, library_.version); !good) return good;
    if (library_.name.empty()) return refuse("it has no name", "fill in weir_plugin.name");
    return read_offers(plugin);
  }

 private:
  Status refuse(std::string message, std::string remedy) const {
    return fail(Reason::project, fmt::format("the plugin {}: {}", library_.title(), message),
                std::move(remedy));
  }

  Status check_size(const void* table, std::size_t least, std::string_view what) const {
    std::uint32_t size = 0;
    std::memcpy(&size, table, sizeof size);
    if (size >= least && size <= kLargestTable) return {};
    return refuse(fmt::format("its {} says that it has {} bytes; it has to have {} to {}", what, size, least,
                              kLargestTable),
                  "fill in `size` with sizeof of the struct");
  }

  Status text(std::string_view what, weir_view view, std::string& out, std::size_t longest = 256) const {
    if (view.size > longest || (view.size > 0 && !view.data))
      return refuse(fmt::format("its {} has {} bytes", what, view.size),
                    fmt::format("up to {} are possible", longest));
    out.assign(view.data ? view.data : "", view.size);
    const auto printable = [](unsigned char c) { return c >= 0x20 && c < 0x7f; };
    if (!std::all_of(out.begin(), out.end(), printable))
      return refuse(fmt::format("its {} is no plain text", what), "use ASCII");
    return {};
  }

  Status read_offers(const weir_plugin& plugin) {
    if (plugin.offer_count == 0 || !plugin.offers)
      return refuse("it offers no kinds", "fill in weir_plugin.offers");
    if (plugin.offer_count > kMostOffers || plugin.offer_size < sizeof(weir_offer) ||
        plugin.offer_size > kLargestTable)
      return refuse(fmt::format("it says that it offers {} kinds of {} bytes each", plugin.offer_count,
                                plugin.offer_size),
                    "fill in offer_count, and offer_size with sizeof(weir_offer)");
    for (std::uint32_t i = 0; i < plugin.offer_count; ++i) {
      weir_offer offer;
      std::memcpy(&offer, reinterpret_cast<const char*>(plugin.offers) + std::size_t{i} * plugin.offer_size,
                  sizeof offer);
      if (auto good = read_offer(offer); !good) return good;
    }
    return {};
  }

  Status read_offer(const weir_offer& raw) {
    std::string type;
    if (auto good = text("type of a kind", raw.type, type); !good) return good;
    if (!raw.table)
      return refuse(fmt::format("it has no table for a kind of type {}", type), "fill in weir_offer.table");
    if (type == WEIR_ELEMENT)
      return add<weir_element_v1>(PluginType::element, raw.table,
                                  offsetof(weir_element_v1, plan) + sizeof(void*));
    if (type == WEIR_SOURCE)
      return add<weir_source_v1>(PluginType::source, raw.table,
                                 offsetof(weir_source_v1, resolve) + sizeof(void*));
    if (type == WEIR_QUEUE)
      return add<weir_queue_v1>(PluginType::queue, raw.table, offsetof(weir_queue_v1, plan) + sizeof(void*));
    if (type == WEIR_REMOTE)
      return add<weir_remote_v1>(PluginType::remote, raw.table, sizeof(weir_remote_v1));
    if (type == WEIR_ALLOCATOR)
      return add<weir_allocator_v1>(PluginType::allocator, raw.table,
                                    offsetof(weir_allocator_v1, next) + sizeof(void*));
    if (type == WEIR_PLACER)
      return add<weir_placer_v1>(PluginType::placer, raw.table,
                                 offsetof(weir_placer_v1, next_woken) + sizeof(void*));
    library_.unknown.push_back(type);  // of a newer weir, perhaps: its other kinds can be used all the same
    return {};
  }

  template <class Table>
  Status add(PluginType type, const void* raw, std::size_t least) {
    const auto what = fmt::format("{} table", to_string(type));
    if (auto good = check_size(raw, least, what); !good) return good;
    PluginOffer offer{type, {}, {}, 0, copy_known<Table>(raw)};
    const auto& table = std::get<Table>(offer.table);
    offer.version = table.head.version;
    if (auto good = text("kind", table.head.kind, offer.kind, WEIR_LONGEST_NAME); !good) return good;
    if (auto good = check_name(offer.kind); !good) return good;
    if (offer.version == 0)
      return refuse(fmt::format("the kind {} has version 0", offer.kind), "versions begin with 1");
    const auto& example = table.head.example;
    if (example.size > WEIR_LONGEST_DOCUMENT || (example.size > 0 && !example.data))
      return refuse(fmt::format("the example of {} has {} bytes", offer.kind, example.size),
                    "it is a JSON object");
    offer.example.assign(example.data ? example.data : "", example.size);
    if (const auto* missing = missing_function(table))
      return refuse(fmt::format("the kind {} has no function `{}`", offer.kind, missing),
                    "it is required; see docs/plugins.md");
    if (library_.find(type, offer.kind))
      return refuse(fmt::format("it offers the {} kind {} twice", to_string(type), offer.kind),
                    "a kind has one name");
    library_.offers.push_back(std::move(offer));
    return {};
  }

  Status check_name(std::string_view kind) const {
    const auto good = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    if (!kind.empty() && std::all_of(kind.begin(), kind.end(), good)) return {};
    return refuse(fmt::format("\"{}\" is no name for a kind", kind), "names have a-z, 0-9 and -");
  }

  struct Required {
    template <class Function>
    Required(const char* own_name, Function* function) : name(own_name), there(function != nullptr) {}
    const char* name;
    bool there;
  };
  static const char* first_missing(std::initializer_list<Required> all) {
    for (const auto& one : all)
      if (!one.there) return one.name;
    return nullptr;
  }
  static const char* missing_function(const weir_element_v1& table) {
    return first_missing({{"resolve", table.resolve}, {"plan", table.plan}});
  }
  // One that is of the project needs no more than describe.
  static const char* missing_function(const weir_source_v1& table) {
    if (!table.resolve) return "resolve";
    const bool of_project =
        table.describe && !table.check_ref && !table.plan_track && !table.parse_track && !table.plan_fetch;
    if (of_project) return nullptr;
    return first_missing({{"check_ref", table.check_ref},
                          {"plan_track", table.plan_track},
                          {"parse_track", table.parse_track},
                          {"plan_fetch", table.plan_fetch}});
  }
  static const char* missing_function(const weir_queue_v1& table) {
    return first_missing({{"classify", table.classify}, {"plan", table.plan}});
  }
  static const char* missing_function(const weir_remote_v1& table) {
    return first_missing(
        {{"open", table.open}, {"close", table.close}, {"submit", table.submit}, {"cancel", table.cancel}});
  }
  static const char* missing_function(const weir_allocator_v1& table) {
    return first_missing({{"open", table.open},
                          {"close", table.close},
                          {"set_workers", table.set_workers},
                          {"job_waiting", table.job_waiting},
                          {"job_withdrawn", table.job_withdrawn},
                          {"job_started", table.job_started},
                          {"job_ended", table.job_ended},
                          {"job_requeued", table.job_requeued},
                          {"set_blocked", table.set_blocked},
                          {"next", table.next}});
  }
  static const char* missing_function(const weir_placer_v1& table) {
    return first_missing({{"open", table.open},
                          {"close", table.close},
                          {"add_worker", table.add_worker},
                          {"remove_worker", table.remove_worker},
                          {"schedule", table.schedule},
                          {"withdraw", table.withdraw},
                          {"pick", table.pick},
                          {"complete", table.complete},
                          {"next_woken", table.next_woken}});
  }

  PluginLibrary& library_;
};

tl::unexpected<Error> unusable(const std::string& file, std::string message, std::string remedy) {
  return fail(Reason::project, fmt::format("the plugin {}: {}", file, message), std::move(remedy));
}

// Another major has another entry.
std::string foreign_entry(const std::string& file) {
  constexpr std::string_view kStem = "weir_plugin_entry_v";
  const auto symbols = exported_symbols(file);
  if (!symbols) return {};
  const auto other = std::find_if(symbols->begin(), symbols->end(),
                                  [&](const std::string& name) { return name.starts_with(kStem); });
  return other == symbols->end() ? std::string() : other->substr(kStem.size());
}

// The loader of the system knows nothing of the file that a copy was made of.
std::string loader_error(const std::string& file, const std::string& from) {
  const char* why = ::dlerror();
  std::string text = why ? why : "no reason was given";
  if (const auto at = text.find(from); from != file && at != text.npos) text.replace(at, from.size(), file);
  return text;
}

Result<weir_plugin_entry*> open_library(const std::string& file, const std::string& from) {
  void* handle = nullptr;
  {
    const Guard guard(file, "load (constructors of the library)");
    handle = ::dlopen(from.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  }
  if (!handle)
    return unusable(file, fmt::format("it cannot be loaded: {}", loader_error(file, from)),
                    "it needs something that is not here, or was built for another system");
  if (auto* entry = ::dlsym(handle, kEntry)) return reinterpret_cast<weir_plugin_entry*>(entry);
  if (const auto other = foreign_entry(from); !other.empty())
    return unusable(file,
                    fmt::format("it was built for ABI {}, and this weir has ABI {}", other, WEIR_ABI_MAJOR),
                    "build it again with the headers of this weir");
  return unusable(file, fmt::format("it has no symbol {}", kEntry),
                  "it is no plugin of weir, or hides its entry: use WEIR_EXPORT");
}

}  // namespace

std::string_view to_string(PluginType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

const PluginOffer* PluginLibrary::find(PluginType type, std::string_view kind) const {
  const auto at = std::find_if(offers.begin(), offers.end(),
                               [&](const auto& one) { return one.type == type && one.kind == kind; });
  return at == offers.end() ? nullptr : &*at;
}

std::string PluginLibrary::title() const {
  if (name.empty()) return abi_major == 0 ? file : fmt::format("{} (ABI {}.{})", file, abi_major, abi_minor);
  return fmt::format("{} ({} {}, ABI {}.{})", file, name, version, abi_major, abi_minor);
}

Result<std::shared_ptr<const PluginLibrary>> PluginLibrary::load(const std::string& file,
                                                                 const std::string& from) {
  const auto& bytes = from.empty() ? file : from;
  if (auto good = check_library_file(bytes); !good)
    return unusable(file, good.error().message, good.error().remedy);
  const auto entry = open_library(file, bytes);
  if (!entry) return tl::unexpected(entry.error());
  auto library = std::make_shared<PluginLibrary>();
  library->file = file;
  try {
    const Guard guard(library->file, "describe itself (weir_plugin_entry_v1)");
    if (auto good = Reader(*library).read((*entry)(&host())); !good) return tl::unexpected(good.error());
  } catch (const std::exception& error) {
    return fail(Reason::bug,
                fmt::format("the plugin {}: its entry threw an exception: {}", file, error.what()),
                "exceptions must not leave a plugin");
  } catch (...) {
    return fail(Reason::bug, fmt::format("the plugin {}: its entry threw an exception", file),
                "exceptions must not leave a plugin");
  }
  log_debug("loaded plugin {}", file);
  return library;
}

}  // namespace weir
