#include "plugins/remotes/grpc/line.h"

#include <grpc/support/log.h>
#include <grpcpp/alarm.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <pthread.h>
#include <signal.h>

#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include <weir/barrier.hpp>

namespace weir::reapi {

namespace {

// More than any batch or record; a server that sends more is cut off before it fills the memory.
constexpr int kLongestMessage = 16 << 20;

grpc::ByteBuffer buffer_of(std::string bytes) {
  auto* kept = new std::string(std::move(bytes));
  const grpc::Slice slice(
      kept->data(), kept->size(), [](void* text) { delete static_cast<std::string*>(text); }, kept);
  return grpc::ByteBuffer(&slice, 1);
}

// gRPC writes to stderr otherwise, into what weir shows.
void log_like_weir() {
  static std::once_flag once;
  std::call_once(once,
                 [] { gpr_set_log_function([](gpr_log_func_args* line) { sdk::log(line->message); }); });
}

grpc::ChannelArguments arguments_of(const LineSettings& settings) {
  grpc::ChannelArguments arguments;
  arguments.SetUserAgentPrefix("weir/" WEIR_VERSION);
  arguments.SetMaxReceiveMessageSize(kLongestMessage);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);  // weir tries again itself
  // Its name tells of retries, but it is how long an attempt to connect may take.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, static_cast<int>(settings.connect_timeout.count()));
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // A connection on which nothing is acknowledged is dropped by the kernel, or all that comes would wait on a
  // dead one for a quarter of an hour. gRPC asks for that only where it sends pings; but servers throw out
  // who pings more often than every five minutes, in the middle of an upload too. So: pings, once a day.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 24 * 60 * 60 * 1000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 30 * 1000);
  // Two remotes to one server are two connections: each ends with its own.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return arguments;
}

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const LineSettings& settings) {
  if (!settings.secure) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({settings.roots, {}, {}});
}

std::shared_ptr<grpc::Channel> channel_to(const LineSettings& settings) {
  return grpc::CreateCustomChannel("dns:///" + settings.server, credentials_of(settings),
                                   arguments_of(settings));
}

// What comes out of the completion queue.
class Event {
 public:
  virtual ~Event() = default;
  virtual void happened(bool ok) = 0;
};

// One call, as long as gRPC has any of its tags.
class Call {
 public:
  Call(CallNumber number, std::shared_ptr<Stream> stream, std::function<void(CallNumber)> over)
      : stream_(std::move(stream)), number_(number), over_(std::move(over)) {}

  void start(grpc::GenericStub& stub, grpc::CompletionQueue& queue, const std::string& method,
             const Headers& headers) {
    for (const auto& [name, value] : headers) context_.AddMetadata(name, value);
    call_ = stub.PrepareCall(&context_, method, &queue);
    ++tags_;
    call_->StartCall(&started_);
  }
  void cancel() { context_.TryCancel(); }
  void tell_end() { stream_->ended({status_.error_code(), status_.error_message()}); }

 private:
  struct Tag final : Event {
    Tag(Call& owner, void (Call::*what)(bool)) : call(owner), step(what) {}
    void happened(bool ok) override { call.step_done(step, ok); }
    Call& call;
    void (Call::*step)(bool);
  };

  void step_done(void (Call::*step)(bool), bool ok) {
    --tags_;
    (this->*step)(ok);
    if (tags_ == 0) over_(number_);
  }

  void started(bool ok) {
    if (!ok) return finish();
    read();
    write();
  }
  // A message that could not be sent means that the call is over: whoever reads hears why.
  void wrote(bool ok) {
    if (ok && !sent_last_) write();
  }
  void was_read(bool ok) {
    if (!ok) return finish();
    grpc::Slice whole;
    if (!incoming_.DumpToSingleSlice(&whole).ok()) cancel();
    else stream_->received({reinterpret_cast<const char*>(whole.begin()), whole.size()});
    read();
  }
  void finished(bool) {}

  void read() {
    ++tags_;
    incoming_.Clear();
    call_->Read(&incoming_, &was_read_);
  }
  void write() {
    auto message = stream_->next();
    sent_last_ = message.is_last;
    ++tags_;
    grpc::WriteOptions options;
    if (sent_last_) options.set_last_message();
    call_->Write(buffer_of(std::move(message.bytes)), options, &wrote_);
  }
  void finish() {
    ++tags_;
    call_->Finish(&status_, &finished_);
  }

  std::shared_ptr<Stream> stream_;
  CallNumber number_;
  std::function<void(CallNumber)> over_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::ByteBuffer incoming_;
  grpc::Status status_;
  int tags_ = 0;
  bool sent_last_ = false;
  Tag started_{*this, &Call::started};
  Tag wrote_{*this, &Call::wrote};
  Tag was_read_{*this, &Call::was_read};
  Tag finished_{*this, &Call::finished};
};

class Question final : public Stream {
 public:
  using Done = std::function<void(const Status&, const std::string&)>;
  Question(std::string message, Done done) : message_(std::move(message)), done_(std::move(done)) {}

  Outgoing next() override { return {std::move(message_), true}; }
  void received(std::string_view message) override { answer_ = message; }
  void ended(const Status& status) override {
    if (status.ok() && !answer_) done_({grpc::StatusCode::INTERNAL, "a call ended without an answer"}, {});
    else done_(status, answer_.value_or(std::string()));
  }

 private:
  std::string message_;
  Done done_;
  std::optional<std::string> answer_;
};

// Signals are weir's: threads that are made while this lives, by gRPC too, never see one.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~WithoutSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

class Line::Inner final : Event {
 public:
  explicit Inner(LineSettings settings) : settings_(std::move(settings)) {}
  ~Inner() override { close(); }

  void close() {
    if (!wire_) return;
    post([this] { stop(); });
    wire_->thread.join();
    wire_.reset();
  }

  void post(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (!wire_) open();
    if (!std::exchange(woken_, true))
      wire_->alarm.Set(&wire_->queue, gpr_inf_past(GPR_CLOCK_MONOTONIC), static_cast<Event*>(this));
  }

  CallNumber start(const std::string& method, const Headers& headers, std::shared_ptr<Stream> stream) {
    if (stopping_) {
      post([stream = std::move(stream)] {
        stream->ended({grpc::StatusCode::CANCELLED, "the remote is closed"});
      });
      return 0;
    }
    const auto number = next_++;
    auto& call = calls_[number];
    call = std::make_unique<Call>(number, std::move(stream), [this](CallNumber over) { forget(over); });
    call->start(wire_->stub, wire_->queue, method, headers);
    return number;
  }
  void cancel(CallNumber number) {
    if (const auto at = calls_.find(number); at != calls_.end()) at->second->cancel();
  }

 private:
  struct Wire {
    explicit Wire(const LineSettings& settings) : stub(channel_to(settings)) {}
    grpc::CompletionQueue queue;
    grpc::GenericStub stub;
    grpc::Alarm alarm;
    std::thread thread;
  };

  void open() {
    const WithoutSignals guard;
    log_like_weir();
    wire_.emplace(settings_);
    wire_->thread = std::thread([this] { run(); });
  }

  void run() {
    ::pthread_setname_np(::pthread_self(), "weir-grpc");
    void* tag = nullptr;
    bool ok = false;
    while (wire_->queue.Next(&tag, &ok)) {
      static_cast<Event*>(tag)->happened(ok);
      tell_ends();
      if (stopping_ && calls_.empty() && !shut_ && !has_tasks()) {
        shut_ = true;
        wire_->queue.Shutdown();
      }
    }
  }
  // The alarm: there are tasks.
  void happened(bool) override {
    for (const auto& task : take_tasks()) task();
  }
  std::deque<std::function<void()>> take_tasks() {
    const std::lock_guard lock(mutex_);
    woken_ = false;
    return std::exchange(tasks_, {});
  }
  bool has_tasks() {
    const std::lock_guard lock(mutex_);
    return !tasks_.empty();
  }
  void stop() {
    stopping_ = true;
    for (const auto& [number, call] : calls_) call->cancel();
  }
  // From within the call: it is kept until it has returned.
  void forget(CallNumber number) { over_.push_back(std::move(calls_.extract(number).mapped())); }
  void tell_ends() {
    for (const auto& call : std::exchange(over_, {})) call->tell_end();
  }

  LineSettings settings_;
  std::mutex mutex_;
  std::deque<std::function<void()>> tasks_;
  bool woken_ = false;
  std::optional<Wire> wire_;
  // Of the thread of the line.
  std::unordered_map<CallNumber, std::unique_ptr<Call>> calls_;
  std::vector<std::unique_ptr<Call>> over_;
  CallNumber next_ = 1;
  bool stopping_ = false;
  bool shut_ = false;
};

Line::Line(LineSettings settings) : inner_(std::make_unique<Inner>(std::move(settings))) {}
Line::~Line() = default;

void Line::post(std::function<void()> task) { inner_->post(std::move(task)); }
void Line::close() { inner_->close(); }

CallNumber Line::start(const std::string& method, const Headers& headers, std::shared_ptr<Stream> stream) {
  return inner_->start(method, headers, std::move(stream));
}
CallNumber Line::ask(const std::string& method, const Headers& headers, std::string message,
                     std::function<void(const Status&, const std::string&)> done) {
  return start(method, headers, std::make_shared<Question>(std::move(message), std::move(done)));
}
void Line::cancel(CallNumber call) { inner_->cancel(call); }

}  // namespace weir::reapi
