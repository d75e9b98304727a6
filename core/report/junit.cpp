#include "core/report/junit.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/base/fd.h"
#include "core/base/replace_file.h"
#include "core/base/shell_word.h"
#include "core/report/junit_cases.h"
#include "core/report/xml_text.h"

namespace weir {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kJunitLogLines = 100;
constexpr char kRunSuite[] = "run";

std::string property(std::string_view name, std::string_view value) {
  return fmt::format("<property name=\"{}\" value=\"{}\"/>", name, xml_attribute(value));
}

std::string counts(std::size_t tests, std::size_t failures, std::size_t errors, std::size_t skipped,
                   double seconds) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"", tests,
                     failures, errors, skipped, seconds);
}

class Document {
 public:
  Document(const RunRecord& record, const RunFailures& failures, const JunitOptions& options,
           const std::function<void(std::string_view)>& out)
      : record_(record), options_(options), out_(out), suites_(junit_suites(record, failures)) {
    options_.failures.tail_lines = kJunitLogLines;
    options_.failures.next_commands = false;
  }

  void add_failed_run(const std::string& errors) {
    failed_run_.element = record_.run().project;
    failed_run_.queue = kRunSuite;
    failed_run_.evidence = errors.empty() ? "the run failed: its messages say why" : errors;
    JunitCase one;
    one.element = &failed_run_.element;
    one.result = JunitResult::error;
    one.failed = &failed_run_;
    suites_.push_back({failed_run_.queue, {one}});
  }

  void write() {
    const auto all = [&](JunitResult result) {
      std::size_t sum = 0;
      for (const auto& suite : suites_) sum += suite.count(result);
      return sum;
    };
    std::size_t tests = 0;
    for (const auto& suite : suites_) tests += suite.cases.size();
    const auto seconds =
        record_.end() ? record_.end()->seconds : std::chrono::duration<double>(record_.last()).count();
    out_("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out_(fmt::format("<testsuites name=\"{}\" {}>\n", xml_attribute(record_.run().project),
                     counts(tests, all(JunitResult::failure), all(JunitResult::error),
                            all(JunitResult::skipped), seconds)));
    for (const auto& suite : suites_)
      if (!suite.cases.empty()) write(suite);
    out_("</testsuites>\n");
  }

 private:
  void write(const JunitSuite& suite) {
    const auto numbers =
        counts(suite.cases.size(), suite.count(JunitResult::failure), suite.count(JunitResult::error),
               suite.count(JunitResult::skipped), suite.seconds());
    out_(fmt::format("  <testsuite name=\"{}\" {} timestamp=\"{:%Y-%m-%dT%H:%M:%S}Z\">\n",
                     xml_attribute(suite.queue), numbers,
                     fmt::gmtime(std::chrono::system_clock::to_time_t(options_.start))));
    properties_of_run();
    for (const auto& one : suite.cases) write(suite, one);
    out_("  </testsuite>\n");
  }

  void properties_of_run() {
    const auto& run = record_.run();
    std::string command = "weir";
    for (const auto& word : run.arguments) command += " " + shell_word(word);
    const auto* result = record_.end() ? record_.end()->result.c_str() : "unfinished";
    out_(fmt::format("    <properties>{}{}{}{}{}</properties>\n", property("weir", run.version),
                     property("run", std::to_string(run.number)), property("command", command),
                     property("cpus", std::to_string(run.cpus)), property("result", result)));
  }

  void write(const JunitSuite& suite, const JunitCase& one) {
    out_(fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">",
                     xml_attribute(record_.run().project + "." + suite.queue), xml_attribute(*one.element),
                     one.seconds()));
    out_(properties_of(one));
    switch (one.result) {
      case JunitResult::passed: break;
      case JunitResult::skipped:
        out_(fmt::format("<skipped message=\"{}\"/>", xml_attribute(one.reason)));
        break;
      case JunitResult::failure: failed("failure", *one.failed); break;
      case JunitResult::error: failed("error", *one.failed); break;
    }
    out_(output_of(one));
    out_("</testcase>\n");
  }

  static std::string properties_of(const JunitCase& one) {
    std::string all;
    if (one.cached) all += property("cached", "true");
    const auto failed_before = one.failed_attempts().size();
    if (failed_before > 0) all += property("attempts", std::to_string(failed_before + 1));
    if (failed_before > 0 && one.result == JunitResult::passed) all += property("flaky", "true");
    if (!one.jobs.empty() && !one.jobs.back()->key.empty()) all += property("key", one.jobs.back()->key);
    return all.empty() ? all : fmt::format("<properties>{}</properties>", all);
  }

  void failed(std::string_view tag, const FailedElement& failure) {
    out_(fmt::format("<{} message=\"{}\" type=\"{}\">", tag, xml_attribute(failure_headline(failure)),
                     failure.job ? xml_attribute(failure.failure) : "not-started"));
    for (const auto& line : failure_block(failure, options_.failures)) out_(xml_text(line.text) + "\n");
    out_(fmt::format("</{}>", tag));
  }

  // What was tried again; and that nothing had to be done, for readers that do not look at properties.
  static std::string output_of(const JunitCase& one) {
    std::string text = one.cached ? one.reason : std::string();
    for (const auto* job : one.failed_attempts())
      text += fmt::format("attempt {} failed: {}: {}\n", job->attempt, job->failure, job->evidence);
    return text.empty() ? text : fmt::format("<system-out>{}</system-out>", xml_text(text));
  }

  const RunRecord& record_;
  JunitOptions options_;
  const std::function<void(std::string_view)>& out_;
  std::vector<JunitSuite> suites_;
  FailedElement failed_run_;
};

bool is_replaced(const ResolvedPath& place) { return !place.found || S_ISREG(place.info.st_mode); }

}  // namespace

void JunitReport::on_event(const Event& event) {
  record_.on_event(event);
  failures_.on_event(event);
  const auto* diagnostic = event.as<event::Diagnostic>();
  if (diagnostic && diagnostic->level == "error") errors_ += fmt::format("{}\n", diagnostic->message);
}

void JunitReport::write(const std::function<void(std::string_view)>& out) const {
  const auto result = record_.end() ? record_.end()->result : "";
  const bool failed = result == "failed" || (result == "succeeded" && exit_ != 0);
  Document document(record_, failures_, options_, out);
  // No element is to blame, and the file has to say it all the same.
  if (failed && failures_.all().empty()) document.add_failed_run(errors_);
  document.write();
}

Status JunitReport::write_file(const std::string& path) const {
  const auto write_to = [&](int fd) -> Status {
    constexpr std::size_t kPieceAtOnce = 64 * 1024;
    std::string buffer;
    int error = 0;
    const auto flush = [&] {
      if (error == 0 && !write_all(fd, buffer)) error = errno;
      buffer.clear();
    };
    write([&](std::string_view text) {
      buffer += text;
      if (buffer.size() >= kPieceAtOnce) flush();
    });
    flush();
    if (error != 0) return fail_errno("writing " + path, error);
    return {};
  };
  return write_output_file(path, write_to);
}

Status check_junit_file(const std::string& path) {
  const auto cannot = [&](std::string_view why, std::string remedy) {
    return fail(Reason::usage, fmt::format("the JUnit report cannot be written to {}: {}", path, why),
                std::move(remedy));
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return cannot("it is a folder", "name a file in it");
  const auto place = resolve_path(path, Way::any_owner);
  if (!place && place.error().reason == Reason::usage) return tl::unexpected(place.error());
  if (place && !is_replaced(*place)) return {};
  const auto folder = fs::path(path).parent_path();
  if (!fs::is_directory(folder.empty() ? "." : folder, ignored))
    return cannot(fmt::format("there is no folder {}", folder.string()), "make it first");
  // Only the attempt tells: root may write everywhere but where nothing can be written.
  const auto attempt = fmt::format("{}.{}.try", path, ::getpid());
  const UniqueFd made(::open(attempt.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!made) return cannot(std::generic_category().message(errno), "name a place where files can be made");
  ::unlink(attempt.c_str());
  return {};
}

}  // namespace weir
