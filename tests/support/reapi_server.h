// A real server of the Remote Execution API for tests, and one that nobody here wrote: Bazel's own remote
// worker (content addressable storage, action cache, ByteStream), whose sources come with Debian's
// bazel-bootstrap-source and are compiled against the jar of bazel-bootstrap: three seconds, kept beside the
// test program for the next one.
//
//   if (const auto reason = ReapiServer::why_not(); !reason.empty()) GTEST_SKIP() << reason;
//   ReapiServer server;
//   ASSERT_TRUE(server.running()) << server.log();
//   RemoteProbe probe(server.url());
//
// It listens on all addresses and asks nobody for a name, so it runs in a network that has no way out:
// why_not() and the constructor take the calling thread, and with it all threads and programs that it starts
// from then on, into a network namespace with nothing but a loopback of its own. So a plugin in the test and
// a `weir` that the test runs both reach it, and so do other servers that the test starts (nginx in front of
// it). It stays like that until the process ends: gRPC's threads live as long, and half of them in another
// network would be worse. Without root this takes a user namespace, which is only to be had before the first
// thread.
//
// What is special about the worker: it has no BatchReadBlobs, names no digests in its answer to
// BatchUpdateBlobs, refuses calls without the header of REAPI that tells who asks, takes every instance name,
// keeps the first record of a key, and reads a blob as a whole into its memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace weir {

// Empty, or why this thread cannot have a network of its own. Once it has one, it keeps it.
std::string enter_private_network();
// Nobody else is there to take it in between.
int free_port_of_private_network();

class ReapiServer {
 public:
  // Empty: it can be had on this machine.
  static std::string why_not();

  ReapiServer();

  bool running() const { return running_; }
  int port() const { return port_; }
  std::string url(const std::string& instance = {}) const;
  std::string log() const { return folder_.read("log"); }
  // Where it keeps blobs and records, each in a file of its own.
  std::string blobs() const { return folder_ / "cas"; }
  // Bytes of uploads that are under way, so that a test can do something in the middle of one.
  std::uint64_t uploading() const;
  void kill() { process_->stop(SIGKILL); }
  void pause() { ::kill(process_->pid(), SIGSTOP); }
  void resume() { ::kill(process_->pid(), SIGCONT); }

 private:
  TemporaryFolder folder_;
  int port_ = 0;
  bool running_ = false;
  std::unique_ptr<Program> process_;
};

}  // namespace weir
