// foo: a remote for URLs with foo: and foos:, and bar, one for bars: alone. Both say of everything that it is
// missing.
#include <weir/plugin.hpp>

namespace {

using namespace weir::sdk;

class Nothing {
 public:
  static constexpr std::uint32_t version = 1;
  static constexpr std::uint32_t at_once = 2;

  Nothing(const RemoteSettings& settings, RemoteSink sink) : sink_(sink) {
    if (settings.url.empty()) throw Refused{"there is no URL", "give it one", "url"};
  }
  void submit(const Operation& operation) {
    sink_.ended(operation.number,
                operation.fd < 0 ? Ended::found(std::string(operation.blobs.size(), '0')) : Ended::missing());
  }
  void cancel(std::uint64_t) {}

 private:
  RemoteSink sink_;
};

struct Foo : Nothing {
  using Nothing::Nothing;
  static constexpr std::string_view kind = "foo";
  static constexpr std::string_view schemes = R"(["foo","foos"])";
};
struct Bar : Nothing {
  using Nothing::Nothing;
  static constexpr std::string_view kind = "bar";
  static constexpr std::string_view schemes = R"(["bars"])";
};

}  // namespace

WEIR_PLUGIN("test-foo", "1.0", remote<Foo>(), remote<Bar>())
