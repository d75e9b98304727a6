// Clients that send anything, in any pieces, and leave whenever they like: bytes, JSON, requests with
// something wrong. The server lives, every line that comes back is a reply, and who waits has one for each
// line. A failure prints its seed; WEIR_SEED=n runs that one alone.
#include <cstdlib>

#include "core/base/random.h"
#include "core/control/control_server.h"
#include "core/control/reply.h"
#include "tests/support/fake_run.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/core/control/peer.h"

namespace weir {
namespace {

const std::string kStatusRequest = R"({"v":1,"op":"status"})";

const std::vector<std::string> kValid = {
    kStatusRequest,
    R"({"v":1,"op":"cancel","job":12})",
    R"({"v":1,"op":"cancel"})",
    R"({"v":1,"op":"suspend","job":"app"})",
    R"({"v":1,"op":"resume"})",
    R"({"v":1,"op":"submit","requestor":"ci","targets":["a","b/**","\u00fc"]})",
    R"({"v":1,"op":"get","name":"loads"})",
    R"({"v":1,"op":"get"})",
    R"({"v":1,"op":"set","name":"loads","value":{"ci":70.1,"dev":[1,null,true,-2e3]}})",
    R"({"v":1,"op":"worker","order":"drain","name":"w1"})",
};

class Writer {
 public:
  explicit Writer(Random& random) : random_(random) {}

  // With its end.
  std::string request() {
    switch (random_.below(5)) {
      case 0: return bytes(random_.below(200)) + "\n";
      case 1: return value(0) + "\n";
      case 2: return R"({"v":1,"op":)" + value(2) + ",\"" + word() + "\":" + value(0) + "}\n";
      case 3: return mutated(valid()) + "\n";
      default: return valid() + "\n";
    }
  }

 private:
  const std::string& valid() { return kValid[random_.below(kValid.size())]; }
  std::string bytes(std::uint64_t count) {
    std::string out;
    while (out.size() < count) out += static_cast<char>(random_.below(256));
    return out;
  }
  std::string word() {
    static const std::vector<std::string> words = {"v",     "op",        "job", "name",    "value", "targets",
                                                   "order", "requestor", "",    "\\u0000", "jbo"};
    return words[random_.below(words.size())];
  }
  std::string value(int depth) {
    const auto count = random_.below(4);
    std::string out;
    switch (random_.below(depth > 40 ? 5 : 8)) {
      case 0: return std::to_string(static_cast<std::int64_t>(random_.next()));
      case 1: return random_.chance(0.5) ? "1e400" : "0.1";
      case 2: return "\"" + word() + "\"";
      case 3: return "null";
      case 4:
        return random_.chance(0.1) ? std::string(random_.below(3000), random_.chance(0.5) ? '[' : '{')
                                   : "true";
      case 5: return "[" + value(depth + 30) + "]";
      case 6:
        for (std::uint64_t i = 0; i < count; ++i) out += (i ? "," : "") + value(depth + 10);
        return "[" + out + "]";
      default:
        for (std::uint64_t i = 0; i < count; ++i)
          out += (i ? ",\"" : "\"") + word() + "\":" + value(depth + 10);
        return "{" + out + "}";
    }
  }
  std::string mutated(std::string text) {
    for (auto left = 1 + random_.below(4); left > 0; --left) {
      const auto at = random_.below(text.size());
      switch (random_.below(4)) {
        case 0: text[at] = static_cast<char>(random_.below(256)); break;
        case 1: text.erase(at, 1 + random_.below(8)); break;
        case 2: text.insert(at, text.substr(random_.below(text.size()), random_.below(20))); break;
        default: text.insert(at, bytes(1 + random_.below(3))); break;
      }
      if (text.empty()) text = "x";
    }
    return text;
  }

  Random& random_;
};

// Many clients after each other on one server.
class Session {
 public:
  Session() : server(loop, folder.path(), run) {}

  // What is wrong, or nothing.
  std::string client(std::uint64_t seed) {
    Random random(seed);
    Writer writer(random);
    run.submit_later = random.chance(0.3);
    Peer peer(loop, folder.path());
    if (!peer.connected()) return "nobody listens";
    std::string stream;
    for (auto left = random.below(30); left > 0; --left) stream += writer.request();
    const auto lines = static_cast<std::size_t>(std::count(stream.begin(), stream.end(), '\n'));
    requests += lines;
    const bool leaves = random.chance(0.2);
    send(peer, leaves ? stream.substr(0, random.below(stream.size() + 1)) : stream, random);
    if (leaves) return {};
    peer.say_no_more();
    return check(peer, lines, random);
  }

  std::string ask_status() { return Peer(loop, folder.path()).ask(kStatusRequest); }

  TemporaryFolder folder;
  boost::asio::io_context loop{1};
  FakeRun run;
  ControlServer server;
  std::size_t requests = 0, accepted = 0;

 private:
  void send(Peer& peer, std::string_view stream, Random& random) {
    while (!stream.empty()) {
      const auto piece =
          std::min<std::size_t>(stream.size(), 1 + random.below(random.chance(0.5) ? 10 : 2000));
      if (!peer.send(stream.substr(0, piece))) return;
      stream.remove_prefix(piece);
      if (random.chance(0.3)) poll_once(loop);
      if (random.chance(0.3)) plan(random);
    }
  }
  void plan(Random& random) {
    for (auto& done : std::exchange(run.submitted, {})) {
      if (random.chance(0.5)) done(random.below(10));
      else done(fail(Reason::usage, "no\n\xff such target"));
    }
  }
  std::string check(Peer& peer, std::size_t lines, Random& random) {
    std::size_t replies = 0;
    std::string wrong;
    const bool ended = run_until(loop, [&] {
      plan(random);
      peer.receive_all();
      while (const auto line = peer.take()) {
        ++replies;
        const auto reply = control::parse_reply(*line);
        if (!reply || (!reply->ok && reply->error.message.empty())) wrong = "no reply: " + *line;
        else accepted += reply->ok;
      }
      return peer.ended();
    });
    if (!wrong.empty()) return wrong;
    if (!ended) return "it does not end";
    if (!peer.rest().empty()) return "half a reply: " + peer.rest();
    return replies == lines ? "" : fmt::format("{} replies to {} lines", replies, lines);
  }
};

TEST(ControlFuzz, whatever_clients_send_the_server_lives_and_answers) {
  std::uint64_t first = 1, last = 2'000;
  if (const char* one = std::getenv("WEIR_SEED")) first = last = std::strtoull(one, nullptr, 10);
  Session session;
  for (auto seed = first; seed <= last; ++seed) {
    ASSERT_EQ(session.client(seed), "") << "WEIR_SEED=" << seed;
    session.run.calls.clear();
  }
  EXPECT_EQ(session.ask_status(), R"({"v":1,"ok":true,"status":{"run":3,"state":"running"}})");
  if (first == last) return;
  EXPECT_GE(session.requests, 20'000U);
  EXPECT_GE(session.accepted, 2'000U);
}

}  // namespace
}  // namespace weir
