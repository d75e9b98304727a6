#include "core/project/project_codec.h"

#include <bit>
#include <concepts>
#include <optional>

#include "core/base/wire.h"

namespace weir {

namespace {

// What a struct consists of is said once, for both directions.
template <class T, class S>
concept Is = std::same_as<std::remove_const_t<T>, S>;

// A member that is forgotten below would be lost in silence.
static_assert(sizeof(Element) == 544 && sizeof(Source) == 256,
              "say the new member in fields() and raise kProjectCodec");

template <class A, Is<Place> T>
void fields(A& a, T& v) {
  a(v.file, v.line, v.column);
}
template <class A, Is<PlacedText> T>
void fields(A& a, T& v) {
  a(v.text, v.place);
}
template <class A, Is<TomlDate> T>
void fields(A& a, T& v) {
  a(v.text);
}
template <class A, Is<TomlValue> T>
void fields(A& a, T& v) {
  a(v.data, v.place);
}
template <class A, Is<TomlMember> T>
void fields(A& a, T& v) {
  a(v.key, v.key_place, v.value);
}
template <class A, Is<Dependency> T>
void fields(A& a, T& v) {
  a(v.to, v.kind, v.place);
}
template <class A, Is<Source> T>
void fields(A& a, T& v) {
  a(v.kind, v.url, v.track, v.ref, v.ref_from_lock, v.directory, v.config, v.place);
}
template <class A, Is<Element::Cores> T>
void fields(A& a, T& v) {
  a(v.least, v.most);
}
template <class A, Is<Element::Need> T>
void fields(A& a, T& v) {
  a(v.resource, v.amount, v.place);
}
template <class A, Is<Backoff> T>
void fields(A& a, T& v) {
  a(v.delay, v.max_delay);
}
template <class A, Is<RetryPolicy> T>
void fields(A& a, T& v) {
  a(v.retries, v.backoff);
}
template <class A, Is<Element> T>
void fields(A& a, T& v) {
  a(v.name, v.place, v.kind, v.description, v.dependencies, v.overlaps, v.sources, v.config, v.published,
    v.env, v.variables, v.cpu, v.memory, v.needs, v.exclusive, v.lane, v.group, v.access, v.timeout, v.stall,
    v.retry);
}
template <class A, Is<Amount> T>
void fields(A& a, T& v) {
  a(v.automatic, v.value);
}
template <class A, Is<Resource> T>
void fields(A& a, T& v) {
  a(v.name, v.amount, v.place);
}
template <class A, Is<Remote> T>
void fields(A& a, T& v) {
  a(v.url, v.push, v.connect_timeout, v.ca, v.place);
}
template <class A, Is<Placement> T>
void fields(A& a, T& v) {
  a(v.allocate, v.place, v.pick, v.loans, v.cache_timeout, v.deps_timeout, v.skip_empty_stages,
    v.rebalance_threshold, v.rebalance_after, v.places);
}
template <class A, Is<WorkClass> T>
void fields(A& a, T& v) {
  a(v.name, v.load, v.load_place, v.requestor);
}
template <class A, Is<WorkerConfig> T>
void fields(A& a, T& v) {
  a(v.name, v.slots);
}
template <class A, Is<Sandbox> T>
void fields(A& a, T& v) {
  a(v.root, v.root_place, v.host_tools, v.uid, v.user_namespaces, v.user_namespaces_place);
}
template <class A, Is<QueueConfig> T>
void fields(A& a, T& v) {
  a(v.name, v.config);
}
template <class A, Is<Hooks> T>
void fields(A& a, T& v) {
  a(v.on_start, v.on_complete, v.on_run_end);
}
template <class A, Is<CircuitBreaker::Limits> T>
void fields(A& a, T& v) {
  a(v.failures, v.cooldown);
}
static_assert(sizeof(Project) == 800, "say the new member here and raise kProjectCodec");
template <class A, Is<Project> T>
void fields(A& a, T& v) {
  a(v.root, v.name, v.default_targets, v.elements_folder, v.env, v.env_variables, v.prefix, v.prefix_place,
    v.resources, v.queues, v.queue_configs, v.sandbox, v.on_error, v.on_error_place, v.retry, v.breaker,
    v.remotes, v.placement, v.classes, v.workers, v.plugin_path, v.hooks);
}

class Encoder {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  std::string take() { return out_.take(); }

 private:
  template <class T>
  requires std::integral<T>
  void put(T value) {
    sizeof(T) == 1   ? out_.u8(static_cast<std::uint8_t>(value))
    : sizeof(T) <= 4 ? out_.u32(static_cast<std::uint32_t>(value))
                     : out_.u64(static_cast<std::uint64_t>(value));
  }
  template <class T>
  requires std::is_enum_v<T>
  void put(T value) { put(static_cast<std::underlying_type_t<T>>(value)); }
  void put(double value) { out_.u64(std::bit_cast<std::uint64_t>(value)); }
  void put(Duration value) { out_.i64(value.count()); }
  void put(const std::string& value) { out_.text(value); }
  template <class T, std::size_t N>
  void put(const std::array<T, N>& values) {
    for (const auto& value : values) put(value);
  }
  template <class A, class B>
  void put(const std::pair<A, B>& value) {
    put(value.first), put(value.second);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    out_.u32(static_cast<std::uint32_t>(values.size()));
    for (const auto& value : values) put(value);
  }
  template <class... T>
  void put(const std::variant<T...>& value) {
    out_.u8(static_cast<std::uint8_t>(value.index()));
    std::visit([this](const auto& one) { this->put(one); }, value);
  }
  void put(std::monostate) {}
  template <class T>
  requires requires(Encoder& a, const T& v) { fields(a, v); }
  void put(const T& value) { fields(*this, value); }

  wire::Writer out_;
};

class Decoder {
 public:
  Decoder(std::string_view bytes, const FileOf& file_of) : in_(bytes), file_of_(file_of) {}
  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  bool whole() const { return in_.ok() && in_.at_end(); }

 private:
  template <class T>
  requires std::integral<T>
  void get(T& value) {
    value = static_cast<T>(sizeof(T) == 1 ? in_.u8() : sizeof(T) <= 4 ? in_.u32() : in_.u64());
  }
  void get(bool& value) { value = in_.u8() != 0; }
  template <class T>
  requires std::is_enum_v<T>
  void get(T& value) {
    std::underlying_type_t<T> raw{};
    get(raw);
    value = T{raw};
  }
  void get(FileId& value) {
    const FileId told{in_.u32()};
    value = told == kNoFile || !in_.ok() ? kNoFile : file_of_(told);
  }
  void get(double& value) { value = std::bit_cast<double>(in_.u64()); }
  void get(Duration& value) { value = Duration(in_.i64()); }
  void get(std::string& value) { value = in_.text(); }
  template <class T, std::size_t N>
  void get(std::array<T, N>& values) {
    for (auto& value : values) get(value);
  }
  template <class A, class B>
  void get(std::pair<A, B>& value) {
    get(value.first), get(value.second);
  }
  template <class T>
  void get(std::vector<T>& values) {
    values.resize(in_.count());
    for (auto& value : values) get(value);
  }
  void get(std::monostate&) {}
  template <class... T>
  void get(std::variant<T...>& value) {
    if (++depth_ > kDeepest) in_.mark_bad();
    else get_alternative(value, in_.u8(), std::index_sequence_for<T...>());
    --depth_;
  }
  template <class V, std::size_t... I>
  void get_alternative(V& value, std::size_t which, std::index_sequence<I...>) {
    const bool known = ((which == I && (get(value.template emplace<I>()), true)) || ...);
    if (!known) in_.mark_bad();
  }
  template <class T>
  requires requires(Decoder& a, T& v) { fields(a, v); }
  void get(T& value) { fields(*this, value); }

  // Values that contain values: twice as many levels as the loader accepts.
  static constexpr unsigned kDeepest = 200;

  wire::Reader in_;
  const FileOf& file_of_;
  unsigned depth_ = 0;
};

template <class T>
std::string encoded(const T& value) {
  Encoder encoder;
  fields(encoder, value);
  return encoder.take();
}

template <class T>
bool decoded(std::string_view bytes, const FileOf& file_of, T& value) {
  Decoder decoder(bytes, file_of);
  fields(decoder, value);
  return decoder.whole();
}

}  // namespace

std::string encode(const Element& element) { return encoded(element); }
std::string encode_frame(const Project& project) { return encoded(project); }
bool decode(std::string_view bytes, const FileOf& file_of, Element& element) {
  return decoded(bytes, file_of, element);
}
bool decode_frame(std::string_view bytes, const FileOf& file_of, Project& project) {
  return decoded(bytes, file_of, project);
}

}  // namespace weir
