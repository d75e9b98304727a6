// The jobserver of one job, in the protocol of GNU make: a job may run one process for itself, and one more
// for each byte that it has read and not written back. All bytes are the job's own and gone with it, so a job
// that is killed loses nothing.
//
//   pipe, two of them   weir --tokens--> job --returns--> weir. The job has the reading end of the one and
//                       the writing end of the other, and weir passes on what comes back. With one pipe for
//                       both ways a make that ends a compiler and starts the next one reads its own byte back
//                       before anybody else wakes up, and a core that others wait for might not come back
//                       before the job ends. A job whose cores stay as they are has one pipe.
//   fifo                one for both ways: its clients want a name. What others wait for comes back when weir
//                       is the faster one.
//
// The job's ends are file descriptions of its own: whether reads of them block is its business, and weir's
// never do.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir {

class Jobserver {
 public:
  enum class Form : std::uint8_t { pipe, two_pipes, fifo };
  // `path` is where the fifo is made. `cores` are those of the job, the one that it has for itself included.
  static Result<Jobserver> make(Form form, const std::string& path, std::uint32_t cores);
  Jobserver(Jobserver&&) = default;
  Jobserver& operator=(Jobserver&&) = default;
  ~Jobserver();

  Form form() const { return form_; }
  // What the job inherits; -1 of a fifo.
  int reader() const { return job_reader_.get(); }
  int writer() const { return job_writer_.get(); }
  const std::string& path() const { return path_; }

  std::uint32_t cores() const { return cores_; }
  bool is_owed() const { return cores_ > wanted_; }
  // More are its own at once, of fewer those that it does not use come back at once.
  void set(std::uint32_t cores);
  // Readable when something came back.
  int returns() const { return form_ == Form::two_pipes ? returns_.get() : tokens_.get(); }
  // Takes what came back: it is kept if the job is to have fewer, and is the job's again otherwise.
  void take_returns();
  // All processes of the job are gone, and all its cores with them: those of the next ones are there again.
  void renew();
  // Tokens that nobody has taken, or that came back and were not looked at.
  std::uint32_t unused() const;

 private:
  Jobserver() = default;
  void give(std::uint32_t tokens);
  void take_unused();

  Form form_ = Form::pipe;
  UniqueFd job_reader_, job_writer_;
  UniqueFd tokens_, returns_;  // weir's own, to read and write
  std::string path_;
  std::uint32_t cores_ = 1;
  std::uint32_t wanted_ = 1;
};

// What GNU make, and all that understand it, find in MAKEFLAGS behind what the user has there. Old names
// beside new ones: makes before 4.2 know only the first.
std::string make_flags(std::string_view of_user, int reader, int writer);
std::string make_flags(std::string_view of_user, std::string_view fifo);

}  // namespace weir
