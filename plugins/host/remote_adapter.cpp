// A remote of a plugin. Every operation is counted here until the plugin has told its end, once and in a way
// that makes sense.
#include <fmt/format.h>

#include <cctype>
#include <map>
#include <mutex>
#include <optional>

#include "core/base/log.h"
#include "plugins/host/adapter.h"
#include "plugins/host/adapters.h"
#include "plugins/host/guard.h"

namespace weir {

namespace {

static_assert(sizeof(RemoteName) == sizeof(weir_blob) &&
                  offsetof(RemoteName, size) == offsetof(weir_blob, size),
              "names are handed over as they are");

constexpr const char* kActions[] = {"has", "get", "put", "has_record", "get_record", "put_record"};

constexpr std::size_t kLongestMessage = 1000;
constexpr std::uint64_t kLongestRetryMs = 86'400'000;  // a day

// One line without control characters, whatever the plugin or its server wrote.
std::string message_of(weir_view view) {
  std::string text(view.data ? view.data : "",
                   view.data ? std::min<std::size_t>(view.size, kLongestMessage) : 0);
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const unsigned char c : text)
    out += std::isalnum(c) && c < 0x80 ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  return out;
}

// A plugin knows two ways to give credentials: a token, or a user and a password in the URL.
std::string with_login(const RemoteAddress& address) {
  auto url = address.url;
  const auto begin = url.find("://");
  if (begin == url.npos) return url;
  return url.insert(begin + 3, percent_encoded(address.user) + ":" + percent_encoded(address.token) + "@");
}

class AdaptedConnection final : public RemoteConnection {
 public:
  AdaptedConnection(std::shared_ptr<const PluginLibrary> library, const weir_remote_v1& table,
                    RemoteListener& listener)
      : library_(std::move(library)),
        table_(table),
        listener_(listener),
        sink_{sizeof sink_, 0, this, heard_end, heard_progress} {}
  ~AdaptedConnection() override {
    if (remote_) tell("close", [&] { table_.close(remote_); });
    note_ends(library_->file, running_.size());
  }

  Result<Reply> open(const std::string& document) {
    return ask(*library_, "open", Wants::verdict, [&](const weir_reply* reply) {
      return table_.open(view_of(document), &sink_, &remote_, reply);
    });
  }
  bool is_open() const { return remote_ != nullptr; }

  void submit(const RemoteRequest& request) override {
    {
      const std::lock_guard lock(mutex_);
      const bool asks = request.action == RemoteAction::has || request.action == RemoteAction::has_record;
      running_[request.operation] = {request.names.size(), asks, request.checksum != nullptr};
      note_operation(library_->file, kActions[static_cast<std::size_t>(request.action)]);
    }
    const weir_remote_request asked = {sizeof asked,
                                       static_cast<std::uint32_t>(request.action),
                                       request.operation,
                                       reinterpret_cast<const weir_blob*>(request.names.data()),
                                       request.names.size(),
                                       request.fd,
                                       0,
                                       request.length,
                                       request.checksum ? request.checksum->data() : nullptr};
    if (const auto told = tell("submit", [&] { table_.submit(remote_, &asked); }); !told)
      break_off(request.operation, told.error().message);
  }
  void cancel(std::uint64_t operation) override {
    tell("cancel", [&] { table_.cancel(remote_, operation); });
  }

 private:
  struct Asked {
    std::size_t names = 0;
    bool which_are_there = false;
    bool has_checksum = false;
  };

  // Not everybody is behind the barrier of the SDK: an exception must not come into the midst of weir.
  template <class Call>
  Status tell(const char* question, const Call& call) {
    const auto reply =
        ask(*library_, question, Wants::verdict, [&](const weir_reply*) { return call(), WEIR_OK; });
    if (reply) return {};
    log_warn("{}", reply.error().message);
    return tl::unexpected(reply.error());
  }

  static AdaptedConnection& of(const weir_remote_sink* sink) {
    return *static_cast<AdaptedConnection*>(sink->host);
  }
  static void heard_end(const weir_remote_sink* sink, std::uint64_t operation, const weir_remote_end* end) {
    of(sink).ended(operation, end);
  }
  static void heard_progress(const weir_remote_sink* sink, std::uint64_t operation, std::uint64_t bytes) {
    of(sink).listener_.moved(operation, bytes);
  }

  void ended(std::uint64_t operation, const weir_remote_end* raw) {
    if (const auto asked = take(operation)) listener_.ended(operation, checked(raw, *asked));
    else
      log_warn("the plugin {}: it told the end of operation {} and that does not run", library_->title(),
               operation);
  }
  // It may have told the end before it broke.
  void break_off(std::uint64_t operation, const std::string& why) {
    if (take(operation)) listener_.ended(operation, fault(why));
  }
  std::optional<Asked> take(std::uint64_t operation) {
    const std::lock_guard lock(mutex_);
    const auto node = running_.extract(operation);
    if (node) note_ends(library_->file, 1);
    return node ? std::optional(node.mapped()) : std::nullopt;
  }

  static RemoteEnd fault(std::string message) {
    return {RemoteOutcome::refused, std::move(message), {}, {}, true};
  }
  RemoteEnd broke(std::string_view what) const {
    return fault(fmt::format("the plugin {}: {}", library_->title(), what));
  }

  RemoteEnd checked(const weir_remote_end* raw, const Asked& asked) const {
    if (!raw || raw->size < sizeof(weir_remote_end))
      return broke("the end of an operation is no weir_remote_end");
    if (raw->outcome > (asked.has_checksum ? WEIR_REMOTE_MISMATCH : WEIR_REMOTE_CANCELLED))
      return broke(fmt::format("{} is no outcome of an operation", raw->outcome));
    const auto retry_after =
        std::chrono::milliseconds(std::min<std::uint64_t>(raw->retry_after_ms, kLongestRetryMs));
    RemoteEnd end{static_cast<RemoteOutcome>(raw->outcome), message_of(raw->message), {}, retry_after};
    if (!asked.which_are_there || end.outcome != RemoteOutcome::done) return end;
    const auto size = raw->there.data ? raw->there.size : 0;
    if (size != asked.names)
      return broke(fmt::format("it was asked about {} and told about {}", asked.names, size));
    for (std::size_t i = 0; i < size; ++i) end.there.push_back(raw->there.data[i] == '1');
    return end;
  }

  std::shared_ptr<const PluginLibrary> library_;
  weir_remote_v1 table_;
  RemoteListener& listener_;
  weir_remote_sink sink_;
  weir_remote* remote_ = nullptr;
  std::mutex mutex_;
  std::map<std::uint64_t, Asked> running_;
};

class AdaptedRemote final : public RemoteKind {
 public:
  AdaptedRemote(std::shared_ptr<const PluginLibrary> library, const PluginOffer& offer)
      : library_(std::move(library)), kind_(offer.kind), table_(std::get<weir_remote_v1>(offer.table)) {}

  Status prepare() {
    const auto refuse = [&](std::string_view why) {
      return fail(Reason::project,
                  fmt::format("the plugin {}: `schemes` of {} {}", library_->title(), kind_, why),
                  R"(it is a JSON list of schemes: ["http", "https"])");
    };
    if (table_.schemes.size > WEIR_LONGEST_DOCUMENT || (table_.schemes.size > 0 && !table_.schemes.data))
      return refuse(fmt::format("has {} bytes", table_.schemes.size));
    std::string text;
    {
      const Guard guard(library_->file, "describe itself (the texts of a table)");
      text.assign(table_.schemes.data ? table_.schemes.data : "", table_.schemes.size);
    }
    auto words = read_words(text);
    if (!words) return refuse(words.error().message);
    if (words->empty()) return refuse("is empty");
    schemes_ = std::move(*words);
    return {};
  }

  std::string_view name() const override { return kind_; }
  std::uint32_t version() const override { return table_.head.version; }
  std::string_view plugin() const override {
    return library_->name == kOwnPlugin ? std::string_view() : std::string_view(library_->name);
  }
  const std::vector<std::string>& schemes() const override { return schemes_; }
  std::size_t at_once() const override { return std::clamp<std::size_t>(table_.at_once, 1, 1024); }
  bool verifies_puts() const override { return (table_.head.flags & WEIR_REMOTE_VERIFIES) != 0; }

  Result<std::unique_ptr<RemoteConnection>> open(const RemoteAddress& address,
                                                 RemoteListener& listener) const override {
    const bool as_user = !address.user.empty();
    std::string document;
    JsonWriter(document)
        .begin_object()
        .key("ca")
        .value(address.ca)
        .key("connect-timeout-ms")
        .value(static_cast<std::int64_t>(
            std::chrono::duration_cast<std::chrono::milliseconds>(address.connect_timeout).count()))
        .key("token")
        .value(as_user ? std::string() : address.token)
        .key("url")
        .value(as_user ? with_login(address) : address.url)
        .end_object();
    auto made = std::make_unique<AdaptedConnection>(library_, table_, listener);
    const auto reply = made->open(document);
    if (!reply) return tl::unexpected(reply.error());
    if (reply->refused) return tl::unexpected(error_of(*reply));
    if (!made->is_open()) return plugin_fault(*library_, "open", "made no remote");
    return std::unique_ptr<RemoteConnection>(std::move(made));
  }

 private:
  std::shared_ptr<const PluginLibrary> library_;
  std::string kind_;
  weir_remote_v1 table_;
  std::vector<std::string> schemes_;
};

}  // namespace

Result<std::unique_ptr<RemoteKind>> adapt_remote(std::shared_ptr<const PluginLibrary> library,
                                                 const PluginOffer& offer) {
  return adapt<AdaptedRemote, RemoteKind>(std::move(library), offer);
}

}  // namespace weir
