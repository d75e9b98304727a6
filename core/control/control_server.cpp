#include "core/control/control_server.h"

#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/control/answer.h"
#include "core/control/control_socket.h"
#include "core/control/line_buffer.h"
#include "core/control/reply.h"

namespace weir {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using boost::system::error_code;

namespace control {

namespace {

std::string refusal_of(Reason reason, std::string message, std::string remedy = {}) {
  return refusal_line({{reason, std::move(message), std::move(remedy)}, {}}) + "\n";
}

// Best effort: whoever does not read it, or went away, misses it.
void send_at_once(int connection, std::string_view bytes) {
  (void)!::send(connection, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace

// One client. Reading, being answered and writing follow each other; there is never more than one of them.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Gone = std::function<void(const std::shared_ptr<Connection>&)>;

  Connection(asio::io_context& loop, UniqueFd socket, RunControl& run, const ControlLimits& limits, Gone gone)
      : loop_(loop),
        socket_(loop, stream_protocol(), socket.release()),
        timer_(loop),
        run_(run),
        patience_(limits.patience),
        longest_(limits.request),
        lines_(limits.request),
        gone_(std::move(gone)) {}

  void serve() {
    if (!socket_.is_open()) return;
    if (const auto line = lines_.take()) return ask(*line);
    if (lines_.too_long())
      return refuse("the request is too long", "a line has " + format_bytes(longest_) + " at the most");
    if (!at_end_) return await_more();
    if (lines_.has_begun()) return refuse("the request has no end", "it ends with the line");
    drop();
  }

  // The server ends.
  void end() {
    if (std::exchange(asking_, false)) reply_ = refusal_of(Reason::cancelled, "the run is over");
    send_at_once(socket_.native_handle(), unsent());
    gone_ = {};
    drop();
  }

 private:
  void ask(const std::string& line) {
    waiting_ = false;
    timer_.cancel();
    asking_ = true;
    answer(line, run_, [weak = weak_from_this()](const std::string& reply) {
      const auto self = weak.lock();
      if (self && std::exchange(self->asking_, false)) self->send(reply + "\n");
    });
  }

  void refuse(std::string message, std::string remedy) {
    last_ = true;
    send(refusal_of(Reason::usage, std::move(message), std::move(remedy)));
  }

  void send(std::string bytes) {
    waiting_ = false;
    reply_ = std::move(bytes);
    sent_ = 0;
    flush();
  }

  std::string_view unsent() const { return std::string_view(reply_).substr(sent_); }

  void flush() {
    if (!socket_.is_open()) return;
    const auto rest = unsent();
    const auto sent = ::send(socket_.native_handle(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return drop();
    if (sent > 0) sent_ += static_cast<std::size_t>(sent);
    if (unsent().empty()) return finish();
    if (sent > 0 || !waiting_) be_patient("");
    when(stream_protocol::socket::wait_write, &Connection::flush);
  }

  void finish() {
    reply_ = {};
    sent_ = 0;
    waiting_ = false;
    timer_.cancel();
    if (last_) return drop();
    asio::post(loop_, [self = shared_from_this()] { self->serve(); });
  }

  void await_more() {
    // From the first byte on: one more now and then does not make it longer.
    if (lines_.has_begun() && !waiting_) be_patient("the request came to no end");
    when(stream_protocol::socket::wait_read, &Connection::read);
  }

  void read() {
    if (!socket_.is_open() || last_) return;
    char buffer[64 * 1024];
    const auto got = ::recv(socket_.native_handle(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got < 0 && errno != EAGAIN && errno != EINTR) return drop();
    if (got > 0) lines_.append({buffer, static_cast<std::size_t>(got)});
    if (got == 0) at_end_ = true;
    serve();
  }

  void when(stream_protocol::socket::wait_type what, void (Connection::*then)()) {
    socket_.async_wait(what, [self = shared_from_this(), then](const error_code& error) {
      if (!error) (*self.*then)();
    });
  }

  // Then it is dropped, with these words if there are any.
  void be_patient(std::string words) {
    waiting_ = true;
    timer_.expires_after(patience_);
    timer_.async_wait([self = shared_from_this(), words = std::move(words)](const error_code& error) {
      // This may have been on its way when the timer was set anew.
      if (error || !self->waiting_ || !self->socket_.is_open() ||
          self->timer_.expiry() > std::chrono::steady_clock::now())
        return;
      if (!words.empty()) send_at_once(self->socket_.native_handle(), refusal_of(Reason::usage, words));
      self->drop();
    });
  }

  void drop() {
    error_code ignored;
    timer_.cancel();
    socket_.close(ignored);
    if (const auto gone = std::exchange(gone_, {})) gone(shared_from_this());
  }

  asio::io_context& loop_;
  stream_protocol::socket socket_;
  asio::steady_timer timer_;
  RunControl& run_;
  Duration patience_;
  std::size_t longest_;
  LineBuffer lines_;
  Gone gone_;
  std::string reply_;
  std::size_t sent_ = 0;  // of it
  bool asking_ = false;   // the run has the request
  bool waiting_ = false;  // for the client, with the timer
  bool at_end_ = false;   // nothing more comes
  bool last_ = false;     // what is sent now
};

}  // namespace control

class ControlServer::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& loop, std::string folder, RunControl& run, ControlLimits limits)
      : loop_(loop), folder_(std::move(folder)), run_(run), limits_(limits), acceptor_(loop), pause_(loop) {}

  void start() {
    auto socket = control::listen_in(folder_);
    if (!socket) {
      listening_ = tl::unexpected(socket.error());
      return;
    }
    acceptor_.assign(stream_protocol(), socket->release());
    await();
  }

  const Status& listening() const { return listening_; }

  void close() {
    if (!acceptor_.is_open()) return;
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    control::remove_from(folder_);
    for (const auto& connection : std::exchange(connections_, {})) connection->end();
  }

 private:
  void await() {
    acceptor_.async_wait(stream_protocol::acceptor::wait_read,
                         [self = shared_from_this()](const error_code& error) {
                           if (!error && self->acceptor_.is_open()) self->accept();
                         });
  }

  // By hand: a descriptor that Asio accepts would be inherited by every job.
  void accept() {
    UniqueFd client(::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    const int error = errno;
    if (client) take(std::move(client));
    else if (error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS) return pause();
    await();
  }

  // There is no descriptor left, and the client stays at the door: to look again at once would keep the loop
  // busy.
  void pause() {
    pause_.expires_after(std::chrono::seconds(1));
    pause_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error && self->acceptor_.is_open()) self->await();
    });
  }

  void take(UniqueFd client) {
    if (!control::is_trusted(client.get()))
      return control::send_at_once(client.get(),
                                   control::refusal_of(Reason::usage, "this run belongs to another user"));
    if (connections_.size() >= limits_.connections)
      return control::send_at_once(client.get(),
                                   control::refusal_of(Reason::resources, "this run has too many connections",
                                                       "try again when some of them are closed"));
    const auto forget = [weak = weak_from_this()](const std::shared_ptr<control::Connection>& gone) {
      if (const auto self = weak.lock()) self->connections_.erase(gone);
    };
    const auto connection =
        std::make_shared<control::Connection>(loop_, std::move(client), run_, limits_, forget);
    connections_.insert(connection);
    connection->serve();
  }

  asio::io_context& loop_;
  std::string folder_;
  RunControl& run_;
  ControlLimits limits_;
  stream_protocol::acceptor acceptor_;
  asio::steady_timer pause_;
  Status listening_;
  std::set<std::shared_ptr<control::Connection>> connections_;
};

ControlServer::ControlServer(asio::io_context& loop, std::string folder, RunControl& run,
                             ControlLimits limits)
    : impl_(std::make_shared<Impl>(loop, std::move(folder), run, limits)) {
  impl_->start();
}

ControlServer::~ControlServer() { close(); }

const Status& ControlServer::listening() const { return impl_->listening(); }

void ControlServer::close() { impl_->close(); }

}  // namespace weir
