// weir as a client of a jobserver: what MAKEFLAGS may say, what is refused, and that each byte goes back as
// it came.
#include "core/exec/outer_jobserver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

std::string parsed(std::string_view flags) {
  const auto address = parse_make_flags(flags);
  if (!address) return "none";
  return address->fifo.empty() ? fmt::format("{},{}", address->reader, address->writer)
                               : "fifo " + address->fifo;
}

TEST(MakeFlags, name_a_jobserver_in_three_ways) {
  EXPECT_EQ(parsed(" -j3 --jobserver-auth=3,4"), "3,4");
  EXPECT_EQ(parsed("w -j --jobserver-fds=5,6"), "5,6");
  EXPECT_EQ(parsed("k -j8 --jobserver-auth=fifo:/tmp/GMfifo12"), "fifo /tmp/GMfifo12");
  EXPECT_EQ(parsed("-j --jobserver-fds=3,4 --jobserver-auth=7,8"), "7,8");
  EXPECT_EQ(parsed("--jobserver-auth=fifo:/a\\ b"), "fifo /a b");
}

TEST(MakeFlags, without_a_jobserver_there_is_none) {
  for (const auto* flags :
       {"", " ", "k", "-j4", "--jobserver-auth", "--jobserver-auth=", "-- X=--jobserver-auth=3,4",
        "-k -- --jobserver-auth=3,4", "x--jobserver-auth=3,4", "\\"})
    EXPECT_EQ(parsed(flags), "none") << flags;
}

TEST(MakeFlags, what_is_no_address_can_be_opened_by_nobody) {
  for (const auto* text : {"3", "3,", ",4", "a,b", "3,4x", "3 ,4", "99999999999999999999,4", "3,4,5", "-",
                           "+3,4", "0x3,4", "fif:/x"}) {
    const auto address = parse_make_flags(fmt::format("--jobserver-auth={}", text));
    ASSERT_TRUE(address) << text;
    EXPECT_FALSE(open_jobserver(*address)) << text;
  }
  EXPECT_EQ(parsed("--jobserver-auth=-2,-2"), "-2,-2");
  EXPECT_FALSE(open_jobserver({-2, -2, {}})) << "so make says that a command may not have it";
  EXPECT_NE(open_jobserver({-2, -2, {}}).error().remedy.find("+"), std::string::npos);
}

TEST(MakeFlags, any_text_is_survived) {
  std::string text = "--jobserver-auth=";
  for (int byte = 1; byte < 256; ++byte) {
    (void)parsed(text + static_cast<char>(byte));
    (void)parsed(std::string(1, static_cast<char>(byte)) + text + "1,2");
  }
  EXPECT_EQ(parsed(std::string((1 << 20) + 1, '\\') + " " + text + "1,2"), "none")
      << "the last backslash keeps the space";
}

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    reader = UniqueFd(ends[0]);
    writer = UniqueFd(ends[1]);
  }
  void put(std::string_view tokens) const {
    EXPECT_EQ(::write(writer.get(), tokens.data(), tokens.size()), static_cast<ssize_t>(tokens.size()));
  }
  std::string all() const {
    ::fcntl(reader.get(), F_SETFL, O_NONBLOCK);
    char buffer[64];
    const auto got = ::read(reader.get(), buffer, sizeof buffer);
    ::fcntl(reader.get(), F_SETFL, 0);
    std::string text(buffer, got > 0 ? static_cast<std::size_t>(got) : 0);
    std::sort(text.begin(), text.end());
    return text;
  }
  JobserverAddress address() const { return {reader.get(), writer.get(), {}}; }
  UniqueFd reader, writer;
};

TEST(OuterJobserver, what_is_no_jobserver_is_refused_in_words) {
  const Pipe pipe;
  const UniqueFd file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto closed = ::dup(file.get());
  ::close(closed);
  EXPECT_NE(open_jobserver({closed, pipe.writer.get(), {}}).error().message.find("is not open"),
            std::string::npos);
  EXPECT_NE(open_jobserver({file.get(), file.get(), {}}).error().message.find("is no pipe"),
            std::string::npos);
  EXPECT_NE(open_jobserver({pipe.writer.get(), pipe.reader.get(), {}}).error().message.find("cannot be read"),
            std::string::npos);
  EXPECT_NE(
      open_jobserver({pipe.reader.get(), pipe.reader.get(), {}}).error().message.find("cannot be written"),
      std::string::npos);
  EXPECT_NE(open_jobserver({-1, -1, "/dev/null"}).error().message.find("is no fifo"), std::string::npos);
  EXPECT_FALSE(open_jobserver({-1, -1, "/no/such/fifo"}));
}

class Client : public testing::Test {
 protected:
  void open(const JobserverAddress& address) {
    auto ends = open_jobserver(address);
    ASSERT_TRUE(ends) << ends.error().message;
    client = std::make_unique<OuterJobserver>(loop, std::move(*ends), [this] { ++news; });
  }
  // All that is ready; nothing is waited for.
  void turn() {
    loop.restart();
    loop.poll();
  }
  boost::asio::io_context loop{1};
  int news = 0;
  std::unique_ptr<OuterJobserver> client;
};

TEST_F(Client, takes_what_it_wants_and_gives_the_same_bytes_back) {
  const Pipe pipe;
  pipe.put("abc");
  open(pipe.address());
  turn();
  EXPECT_EQ(client->held(), 0u) << "nobody wanted any";
  client->want(2);
  turn();
  EXPECT_EQ(client->held(), 2u);
  EXPECT_GT(news, 0);
  client->want(1);
  EXPECT_EQ(client->held(), 1u);
  client = nullptr;
  turn();
  EXPECT_EQ(pipe.all(), "abc");
}

TEST_F(Client, waits_without_blocking_until_somebody_gives_one_back) {
  const Pipe pipe;  // reads of it block
  open(pipe.address());
  client->want(3);
  turn();
  EXPECT_EQ(client->held(), 0u);
  pipe.put("x");
  turn();
  EXPECT_EQ(client->held(), 1u);
  client->want(0);
  pipe.put("y");
  turn();
  EXPECT_EQ(client->held(), 0u) << "what came too late is left to others";
  EXPECT_EQ(pipe.all(), "xy");
}

TEST_F(Client, works_with_a_fifo) {
  const TemporaryFolder folder;
  const auto path = folder / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const UniqueFd server(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  ASSERT_EQ(::write(server.get(), "++", 2), 2);
  open({-1, -1, path});
  client->want(5);
  turn();
  EXPECT_EQ(client->held(), 2u);
  client = nullptr;
  char buffer[8];
  EXPECT_EQ(::read(server.get(), buffer, sizeof buffer), 2);
}

TEST_F(Client, a_make_that_is_gone_lends_nothing_and_costs_nothing) {
  Pipe pipe;
  open({pipe.reader.get(), pipe.writer.get(), {}});
  client->want(1);
  turn();
  pipe.writer.reset();
  pipe.reader.reset();
  turn();
  EXPECT_EQ(client->held(), 0u);
}

}  // namespace
}  // namespace weir
