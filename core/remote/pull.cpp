#include "core/remote/pull.h"

#include <fmt/format.h>

#include <map>
#include <unordered_set>

#include "core/base/json_value.h"
#include "core/remote/action_result.h"
#include "core/remote/exchange.h"
#include "core/remote/halt.h"
#include "core/remote/shared_tree.h"

namespace weir {

namespace {

using PullEnd = Pulled::What;

constexpr std::uint64_t kLongestRecord = 1 << 20;
constexpr std::uint64_t kLargestTree = 256 << 20;
constexpr std::uint64_t kLargestRecipe = 64 << 20;

template <class T>
using PullResult = tl::expected<T, Halt<PullEnd>>;
using PullStatus = tl::expected<void, Halt<PullEnd>>;

// One artifact from one remote.
class Pull {
 public:
  Pull(store::Store& store, RemoteLine& line, std::string_view recipe, const TransferControl& control)
      : store_(store),
        line_(line),
        recipe_(recipe),
        key_(remote_key(recipe)),
        control_(control),
        exchange_(line, control.stop) {}

  Pulled run() {
    Pulled result;
    const auto done = bring();
    result.moved = moved_;
    result.remote = line_.shown();
    if (done) {
      result.what = PullEnd::pulled;
      result.record = record_;
      line_.notes().learn(hash_of(key_));
      return result;
    }
    result.what = done.error().what;
    result.reason = done.error().reason;
    return result;
  }

 private:
  PullStatus bring() {
    auto shared = get_record();
    if (!shared) return tl::unexpected(shared.error());
    if (auto right = get_recipe(*shared); !right) return right;
    auto tree = get_tree(*shared);
    if (!tree) return tl::unexpected(tree.error());
    if (auto got = get_files(*tree, shared->log); !got) return got;
    for (auto& directory : tree->directories)
      if (const auto put = store_.put_directory(std::move(directory)); !put)
        return halt<PullEnd>(put.error());
    record_.output = tree->root;
    record_.recipe = shared->recipe;
    record_.log = shared->log;
    apply_facts(shared->facts, record_);
    return {};
  }

  // A remote may know more of it: that there is something else under that name.
  static std::string missing(const std::string& why, std::string_view what) {
    return why.empty() ? fmt::format("a record names a {} that is not there", what) : why;
  }

  // The remote is not to be believed about this.
  tl::unexpected<Halt<PullEnd>> wrong(std::string_view name, std::string what) {
    line_.notes().set_bad(name);
    line_.notes().set_bad(hash_of(key_));
    line_.notes().forget(hash_of(key_));
    line_.complain(what);
    return halt(PullEnd::missing, std::move(what));
  }

  // Small blobs that are looked at here and not kept.
  PullResult<std::string> fetch(RemoteAction action, const RemoteName& name, std::uint64_t length) {
    const auto file = MemoryFile::make();
    if (!file) return halt<PullEnd>(file.error());
    control_.gate.pass(control_.stop);
    const auto end =
        exchange_.run({action, {name}, file->fd(), length, file->keeper()}, [&] { return file->clear(); });
    if (end.outcome == RemoteOutcome::missing) return halt(PullEnd::missing, end.message);
    if (end.outcome != RemoteOutcome::done) return halt<PullEnd>(line_, end, control_.stop);
    auto bytes = file->read();
    if (!bytes) return halt<PullEnd>(bytes.error());
    moved_.add(bytes->size());
    return std::move(*bytes);
  }

  PullResult<SharedArtifact> get_record() {
    auto bytes = fetch(RemoteAction::get_record, key_, kLongestRecord);
    if (!bytes) {
      if (bytes.error().what == PullEnd::missing && !bytes.error().reason.empty())
        return wrong(hash_of(key_), bytes.error().reason);
      if (bytes.error().what == PullEnd::missing) line_.notes().forget(hash_of(key_));
      return tl::unexpected(bytes.error());
    }
    auto shared = decode_action_result(*bytes);
    if (!shared) return wrong(hash_of(key_), shared.error().message);
    return std::move(*shared);
  }

  PullResult<std::string> fetch_blob(const store::Digest& digest, std::uint64_t largest,
                                     std::string_view what) {
    const auto name = remote_name(digest);
    if (digest.size > largest)
      return wrong(hash_of(key_), fmt::format("its {} has {} bytes", what, digest.size));
    auto bytes = fetch(RemoteAction::get, name, 0);
    if (!bytes && bytes.error().what == PullEnd::missing)
      return wrong(hash_of(name), missing(bytes.error().reason, what));
    if (bytes && store::digest_of(*bytes) != digest)
      return wrong(hash_of(name), fmt::format("the {} of an artifact is damaged", what));
    return bytes;
  }

  PullStatus get_recipe(const SharedArtifact& shared) {
    auto document = store_.has(shared.recipe) ? own_recipe(shared.recipe)
                                              : fetch_blob(shared.recipe, kLargestRecipe, "recipe");
    if (!document) return tl::unexpected(document.error());
    if (!is_same_recipe(recipe_, *document)) return wrong(hash_of(key_), "a record is of something else");
    if (const auto put = store_.put_blob(*document); !put) return halt<PullEnd>(put.error());
    return {};
  }
  PullResult<std::string> own_recipe(const store::Digest& digest) {
    auto document = store_.read_blob(digest);
    if (!document) return halt<PullEnd>(document.error());
    return std::move(*document);
  }

  PullResult<SharedTree> get_tree(const SharedArtifact& shared) {
    auto bytes = fetch_blob(shared.tree, kLargestTree, "tree");
    if (!bytes) return tl::unexpected(bytes.error());
    auto tree = unpack_tree(*bytes);
    if (!tree && tree.error().reason == Reason::cancelled) return halt(PullEnd::cancelled);
    if (!tree) return wrong(hash_of(remote_name(shared.tree)), tree.error().message);
    return std::move(*tree);
  }

  PullStatus get_files(const SharedTree& tree, const store::Digest& log) {
    std::vector<SharedFile> wanted;
    for (const auto& file : tree.files)
      if (!store_.has(file.digest)) wanted.push_back(file);
    if (!store_.has(log)) wanted.push_back({log, false});
    std::size_t next = 0;
    while (next < wanted.size() || exchange_.under_way() > 0) {
      control_.gate.pass(control_.stop);
      while (next < wanted.size() && exchange_.has_room()) {
        if (auto started = start(next, wanted[next]); !started) return started;
        ++next;
      }
      if (auto taken = take(exchange_.next()); !taken) return taken;
    }
    return {};
  }

  PullStatus start(std::size_t tag, const SharedFile& file) {
    auto incoming = store_.receive(file.digest, file.executable);
    if (!incoming) return halt<PullEnd>(incoming.error());
    auto& own = incoming_.emplace(tag, std::move(*incoming)).first->second;
    exchange_.start(tag, {RemoteAction::get, {remote_name(file.digest)}, own.fd(), 0, own.keeper()});
    return {};
  }

  PullStatus take(const Exchange::Event& event) {
    auto& incoming = incoming_.at(event.tag);
    if (!event.ended) {
      const auto looked = incoming.look(std::min(event.bytes, incoming.expected().size));
      if (!looked) return halt<PullEnd>(looked.error());
      return {};
    }
    const auto name = remote_name(incoming.expected());
    if (event.end.outcome == RemoteOutcome::missing)
      return wrong(hash_of(name), missing(event.end.message, "blob"));
    if (event.end.outcome != RemoteOutcome::done) {
      if (event.end.outcome == RemoteOutcome::trouble && incoming.restart() && exchange_.retry(event))
        return {};
      return halt<PullEnd>(line_, event.end, control_.stop);
    }
    const auto accepted = store_.accept(incoming);
    if (!accepted) return halt<PullEnd>(accepted.error());
    if (!*accepted) return wrong(hash_of(name), "a blob is not what its name says");
    moved_.add(incoming.expected().size);
    incoming_.erase(event.tag);
    return {};
  }

  store::Store& store_;
  RemoteLine& line_;
  std::string_view recipe_;
  RemoteName key_;
  const TransferControl& control_;
  store::ArtifactRecord record_;
  Moved moved_;
  std::map<std::size_t, store::Incoming> incoming_;
  Exchange exchange_;  // dies first: it lets go of the files
};

}  // namespace

// `resolved` lists all that was staged, `recipe` only what is depended on directly.
bool is_same_recipe(std::string_view recipe, std::string_view resolved) {
  const auto own = parse_json(recipe), other = parse_json(resolved);
  if (!own || !other || own->names != other->names) return false;
  for (std::size_t i = 0; i < own->names.size(); ++i) {
    const auto &a = own->items[i], &b = other->items[i];
    if (own->names[i] != "dependencies") {
      if (to_json(a) != to_json(b)) return false;
      continue;
    }
    if (a.items.empty() != b.items.empty()) return false;
    std::unordered_set<std::string_view> staged;
    for (const auto& dependency : b.items)
      if (const auto* name = dependency.member("name")) staged.insert(name->text);
    for (const auto& dependency : a.items)
      if (const auto* name = dependency.member("name"); !name || !staged.contains(name->text)) return false;
  }
  return true;
}

Pulled pull_artifact(store::Store& store, std::span<RemoteLine* const> lines, std::string_view recipe,
                     const TransferControl& control) {
  Pulled last;
  for (auto* line : lines) {
    if (!line->usable(RemoteLine::Direction::read)) {
      if (last.what == PullEnd::missing) last = {PullEnd::trouble, {}, line->shown(), line->why_not()};
      continue;
    }
    auto pulled = Pull(store, *line, recipe, control).run();
    if (pulled.what == PullEnd::pulled || pulled.what == PullEnd::cancelled) return pulled;
    if (last.what != PullEnd::trouble) last = std::move(pulled);
  }
  return last;
}

}  // namespace weir
