#include "core/remote/push.h"

#include <deque>
#include <span>
#include <unordered_set>

#include "core/remote/action_result.h"
#include "core/remote/exchange.h"
#include "core/remote/halt.h"

namespace weir {

namespace {

using PushEnd = Pushed::What;

// So many are asked for in one question.
constexpr std::size_t kBlobsPerQuestion = 500;
// Blobs are opened in groups: each is hashed first, on all cores, while those before it are on their way.
constexpr std::size_t kBlobsPerGroup = 64;
constexpr std::uint64_t kBytesPerGroup = 16 << 20;

template <class T>
using PushResult = tl::expected<T, Halt<PushEnd>>;
using PushStatus = tl::expected<void, Halt<PushEnd>>;

// One artifact to one remote.
class Push {
 public:
  Push(store::Store& store, RemoteLine& line, std::string_view recipe, const store::ArtifactRecord& record,
       const TransferControl& control)
      : store_(store),
        line_(line),
        key_(remote_key(recipe)),
        record_(record),
        control_(control),
        exchange_(line, control.stop) {}

  Pushed run() {
    const auto done = give();
    if (done) return {PushEnd::pushed, {}, moved_};
    return {done.error().what, done.error().reason, moved_};
  }

 private:
  PushStatus give() {
    if (auto asked = ask_for_record(); !asked) return asked;
    if (auto packed = pack_tree(); !packed) return packed;
    if (auto asked = ask_for_blobs(); !asked) return asked;
    if (auto given = give_blobs(); !given) return given;
    return give_record();
  }

  PushStatus ask_for_record() {
    if (line_.notes().is_bad(hash_of(key_))) return {};
    control_.gate.pass(control_.stop);
    const auto end = exchange_.run({RemoteAction::has_record, {key_}});
    if (end.outcome != RemoteOutcome::done) return halt<PushEnd>(line_, end, control_.stop);
    if (end.there.empty() || !end.there.front()) return {};
    line_.notes().learn(hash_of(key_));
    return halt(PushEnd::had_it);
  }

  PushStatus pack_tree() {
    auto tree = store_.read_tree(record_.output);
    if (!tree) return halt<PushEnd>(tree.error());
    std::unordered_set<store::Digest, store::HashOf> seen;
    const auto add = [&](const store::Digest& digest) {
      if (seen.insert(digest).second) blobs_.push_back(digest);
    };
    const auto add_files = [&](const store::Directory& directory) {
      for (const auto& file : directory.files) add(file.digest);
    };
    add_files(tree->root);
    for (const auto& child : tree->children) add_files(child);
    add(record_.recipe);
    add(record_.log);
    const auto bytes = store::encode(*tree);
    tree_ = store::digest_of(bytes);
    auto file = MemoryFile::make(bytes);
    if (!file) return halt<PushEnd>(file.error());
    tree_file_ = std::move(*file);
    add(tree_);
    return {};
  }

  // Leaves those that are not there. Blobs known to be damaged there count as missing.
  PushStatus ask_for_blobs() {
    std::vector<store::Digest> missing;
    std::size_t next = 0;
    const auto questions = (blobs_.size() + kBlobsPerQuestion - 1) / kBlobsPerQuestion;
    while (next < questions || exchange_.under_way() > 0) {
      control_.gate.pass(control_.stop);
      for (; next < questions && exchange_.has_room(); ++next)
        exchange_.start(next, {RemoteAction::has, names_of(next)});
      const auto event = exchange_.next();
      if (!event.ended || exchange_.retry(event)) continue;
      if (event.end.outcome != RemoteOutcome::done) return halt<PushEnd>(line_, event.end, control_.stop);
      const auto& there = event.end.there;
      for (std::size_t i = 0; i < count_of(event.tag); ++i) {
        const auto& blob = blobs_[event.tag * kBlobsPerQuestion + i];
        if (i >= there.size() || !there[i] || line_.notes().is_bad(hash_of(remote_name(blob))))
          missing.push_back(blob);
      }
    }
    blobs_ = std::move(missing);
    return {};
  }
  std::size_t count_of(std::size_t question) const {
    return std::min(kBlobsPerQuestion, blobs_.size() - question * kBlobsPerQuestion);
  }
  std::vector<RemoteName> names_of(std::size_t question) const {
    std::vector<RemoteName> names;
    for (std::size_t i = 0; i < count_of(question); ++i)
      names.push_back(remote_name(blobs_[question * kBlobsPerQuestion + i]));
    return names;
  }

  PushStatus give_blobs() {
    std::size_t next = 0;
    while (next < blobs_.size() || exchange_.under_way() > 0) {
      control_.gate.pass(control_.stop);
      for (; next < blobs_.size() && exchange_.has_room(); ++next)
        if (auto started = start(next); !started) return started;
      const auto event = exchange_.next();
      if (!event.ended || exchange_.retry(event)) continue;
      if (event.end.outcome == RemoteOutcome::mismatch) {
        if (auto started = start_verified(event.tag); !started) return started;
        continue;
      }
      if (event.end.outcome != RemoteOutcome::done) return halt<PushEnd>(line_, event.end, control_.stop);
      moved_.add(blobs_[event.tag].size);
      line_.notes().set_good(hash_of(remote_name(blobs_[event.tag])));
    }
    return {};
  }

  PushStatus start(std::size_t tag) {
    if (blobs_[tag] == tree_) {
      exchange_.start(tag,
                      {RemoteAction::put, {remote_name(tree_)}, tree_file_.fd(), 0, tree_file_.keeper()});
      return {};
    }
    if (opened_.empty() && line_.verifies_puts()) {
      auto blob = store_.open_unverified(blobs_[tag]);
      if (!blob) return halt<PushEnd>(blob.error());
      if (*blob) {
        start_put(tag, std::move((*blob)->file), (*blob)->checksum);
        return {};
      }
    }
    if (opened_.empty())
      if (auto opened = open_from(tag); !opened) return opened;
    start_put(tag, std::move(opened_.front()));
    opened_.pop_front();
    return {};
  }

  // The remote found another checksum: the object is damaged, or what the store noted of it.
  PushStatus start_verified(std::size_t tag) {
    auto file = store_.open_blob(blobs_[tag]);
    if (!file) return halt<PushEnd>(file.error());
    start_put(tag, std::move(*file));
    return {};
  }

  void start_put(std::size_t tag, UniqueFd opened, std::optional<store::Checksum> checksum = {}) {
    const auto file = std::make_shared<UniqueFd>(std::move(opened));
    exchange_.start(tag, {RemoteAction::put, {remote_name(blobs_[tag])}, file->get(), 0, file, checksum});
  }

  // Up to the tree, which has a file of its own.
  PushStatus open_from(std::size_t begin) {
    auto end = begin;
    std::uint64_t bytes = 0;
    while (end < blobs_.size() && blobs_[end] != tree_ && end - begin < kBlobsPerGroup &&
           bytes < kBytesPerGroup)
      bytes += blobs_[end++].size;
    auto files = store_.open_blobs(std::span(blobs_).subspan(begin, end - begin));
    if (!files) return halt<PushEnd>(files.error());
    opened_.assign(std::make_move_iterator(files->begin()), std::make_move_iterator(files->end()));
    return {};
  }

  PushStatus give_record() {
    const auto bytes = encode_action_result({tree_, record_.recipe, record_.log, facts_of(record_)});
    const auto file = MemoryFile::make(bytes);
    if (!file) return halt<PushEnd>(file.error());
    const auto end =
        exchange_.run({RemoteAction::put_record, {key_}, file->fd(), bytes.size(), file->keeper()});
    if (end.outcome != RemoteOutcome::done) return halt<PushEnd>(line_, end, control_.stop);
    moved_.add(bytes.size());
    line_.notes().set_good(hash_of(key_));
    line_.notes().learn(hash_of(key_));
    return {};
  }

  store::Store& store_;
  RemoteLine& line_;
  RemoteName key_;
  const store::ArtifactRecord& record_;
  const TransferControl& control_;
  store::Digest tree_;
  MemoryFile tree_file_;
  std::vector<store::Digest> blobs_;  // to be given
  std::deque<UniqueFd> opened_;       // of the next ones
  Moved moved_;
  Exchange exchange_;  // dies first: it lets go of the files
};

}  // namespace

Pushed push_artifact(store::Store& store, RemoteLine& line, std::string_view recipe,
                     const store::ArtifactRecord& record, const TransferControl& control) {
  if (!line.usable(RemoteLine::Direction::write)) return {PushEnd::trouble, line.why_not()};
  return Push(store, line, recipe, record, control).run();
}

}  // namespace weir
