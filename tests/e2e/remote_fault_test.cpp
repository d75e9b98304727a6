// Remotes that are dead, slow, broken or lie: a run goes on without them, says so once, and loses no more
// than 3 seconds.
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "tests/e2e/run_facts.h"
#include "tests/support/fault_proxy.h"
#include "tests/support/faulty_server.h"
#include "tests/support/nginx.h"
#include "tests/support/run_program.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

constexpr int kFaultElements = 10;
constexpr double kAllowed = 3;
constexpr double kStarved = 3;      // seconds in which processes waited for a CPU or a disk
constexpr double kBusyMachine = 2;  // so late may everything be where others work as well
// Where a busy machine is not what a test is about.
const std::string kPatient = "connect-timeout = \"5m\"\n";
// More patience than by default, and less than a blob takes on a slow line in these tests.
const std::string kPatientWithSilence = "connect-timeout = \"5s\"\n";

// Seconds in which a process of this machine waited for a CPU or a disk, since it was started: whatever is
// late may be so much later. 0 if the kernel does not count them.
double seconds_of_pressure() {
  double all = 0;
  for (const auto* file : {"/proc/pressure/cpu", "/proc/pressure/io"}) {
    const auto text = content(file);
    const auto at = text.find("total=");
    if (at != text.npos) all += std::strtod(text.c_str() + at + 6, nullptr) / 1e6;
  }
  return all;
}

double number_of(const std::string& line, const std::string& name) {
  const auto at = line.find("\"" + name + "\":");
  double value = 0;
  if (at != line.npos) std::from_chars(line.data() + at + name.size() + 3, line.data() + line.size(), value);
  return value;
}

std::string all_elements() {
  std::string all;
  for (int i = 0; i < kFaultElements; ++i) all += (i ? " e" : "e") + std::to_string(i);
  return all;
}

// Seconds in which a job that was to move an artifact ran, and did not.
double lost_seconds(const Finished& run) {
  std::map<double, int> changes;
  std::map<double, double> began;
  for (const auto& line : lines_of(run.out)) {
    const auto queue = field(line, "queue");
    if (queue != "pull" && queue != "push") continue;
    if (field(line, "ev") == "job.start") began[number_of(line, "job")] = number_of(line, "us");
    if (field(line, "ev") != "job.end" || field(line, "result") == "succeeded") continue;
    ++changes[began[number_of(line, "job")]];
    --changes[number_of(line, "us")];
  }
  double lost = 0, since = 0;
  int running = 0;
  for (const auto& [time, change] : changes) {
    if (running > 0) lost += time - since;
    since = time;
    running += change;
  }
  return lost / 1e6;
}

std::vector<std::string> warnings_of(const Finished& run) {
  std::vector<std::string> all;
  for (const auto& line : lines_of(run.out))
    if (field(line, "ev") == "diagnostic" && field(line, "level") == "warning")
      all.push_back(field(line, "message"));
  return all;
}

double sum(const Finished& run, const std::string& what) { return number_of(lines_of(run.out).back(), what); }

// Ten elements that know nothing of each other, a server, and the proxy between. Each store is another
// machine.
class RemoteFault : public ::testing::Test {
 protected:
  RemoteFault() : nginx(Nginx::kTakesUploads), proxy(nginx.url("")) { write_project(proxy.url()); }

  void write_project(const std::string& url, const std::string& remote = {}) {
    url_ = url;
    remote_ = remote;
    write_project_with(remote);
  }
  void write_project_with(const std::string& remote) {
    std::string text =
        "weir = 1\n[project]\nname = \"t\"\n[[remote]]\nurl = \"" + url_ + "\"\npush = true\n" + remote;
    for (int i = 0; i < kFaultElements; ++i)
      text += fmt::format(
          "[element.e{0}]\nkind = \"script\"\nconfig.commands = [\"seq -f '%g of {0}' 1 20000 > "
          "$WEIR_OUT/numbers; echo {0} > $WEIR_OUT/name\"]\n",
          i);
    project.file("weir.toml", text);
  }
  RunFacts run_in(const std::string& store) {
    project.use_cache(project.path() + "/" + store);
    const auto before = seconds_of_pressure();
    auto run = build(project);
    pressure_ = seconds_of_pressure() - before;
    return run;
  }
  // With a remote that is good for something: it may be as slow as the machine.
  RunFacts run_patiently_in(const std::string& store, const std::string& patience = kPatient) {
    write_project_with(remote_ + patience);
    auto run = run_in(store);
    write_project_with(remote_);
    return run;
  }
  std::map<std::string, std::string> outputs(const std::string& store) {
    project.use_cache(project.path() + "/" + store);
    std::map<std::string, std::string> all;
    for (int i = 0; i < kFaultElements; ++i)
      all["e" + std::to_string(i)] = shown(project, "e" + std::to_string(i), "output", {"--no-remote"});
    return all;
  }
  void push_all() {
    const auto first = run_patiently_in("first");
    ASSERT_EQ(first.finished.exit, 0) << first.finished.err;
    ASSERT_EQ(sum(first.finished, "pushed"), kFaultElements) << first.finished.out;
    ASSERT_TRUE(warnings_of(first.finished).empty());
  }
  void expect_went_well(const RunFacts& run, const std::string& store) {
    EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
    const auto lost = lost_seconds(run.finished);
    RecordProperty("lost_ms", static_cast<int>(lost * 1000));
    std::printf("%s: %.0f ms lost\n", store.c_str(), lost * 1000);
    EXPECT_LT(lost, kAllowed + kBusyMachine + pressure_) << run.finished.out;
    project.use_cache(project.path() + "/" + store);
    const auto verified = weir(project, {"cache", "verify"});
    EXPECT_EQ(verified.exit, 0) << verified.out << verified.err;
  }
  void expect_one_warning(const RunFacts& run) {
    const auto warnings = warnings_of(run.finished);
    EXPECT_EQ(warnings.size(), 1u) << run.finished.out;
    for (const auto& warning : warnings) {
      std::printf("%s\n", warning.c_str());
      EXPECT_NE(warning.find("127.0.0.1"), std::string::npos) << warning;
    }
  }
  void expect_all_pulled(const RunFacts& run) {
    EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
    EXPECT_EQ(run.built, "") << run.finished.out;
    EXPECT_EQ(sum(run.finished, "pulled"), kFaultElements);
    EXPECT_TRUE(warnings_of(run.finished).empty()) << warnings_of(run.finished)[0];
  }

  Nginx nginx;
  FaultProxy proxy;
  TempProject project;
  double pressure_ = 0;  // in the last run

 private:
  std::string url_, remote_;
};

struct RemoteTrouble {
  const char* name;
  FaultProxy::Door door;
  const char* method;
  const char* prefix;
  Fault fault;
};
std::string name_of_trouble(const ::testing::TestParamInfo<RemoteTrouble>& info) { return info.param.name; }
void PrintTo(const RemoteTrouble& trouble, std::ostream* out) { *out << trouble.name; }

constexpr auto kOpen = FaultProxy::Door::open;
const std::string kSoon = "Retry-After: 1\r\n", kLate = "Retry-After: 60\r\n";

class PullFault : public RemoteFault, public ::testing::WithParamInterface<RemoteTrouble> {};

TEST_P(PullFault, is_built_instead_and_told_once) {
  ASSERT_TRUE(nginx.running()) << nginx.errors();
  ASSERT_NO_FATAL_FAILURE(push_all());
  const auto& trouble = GetParam();
  proxy.choose(fault_for(trouble.method, trouble.prefix, trouble.fault));
  proxy.set(trouble.door);
  const auto run = run_in("second");
  expect_went_well(run, "second");
  EXPECT_EQ(run.built, all_elements());
  expect_one_warning(run);
  EXPECT_EQ(outputs("second"), outputs("first"));
  proxy.heal();
  expect_all_pulled(run_patiently_in("third"));
  EXPECT_EQ(outputs("third"), outputs("first"));
}

INSTANTIATE_TEST_SUITE_P(
    RemoteFault, PullFault,
    ::testing::Values(RemoteTrouble{"refuses", FaultProxy::Door::shut, "", "/", Fault::none()},
                      RemoteTrouble{"black_hole", FaultProxy::Door::deaf, "", "/", Fault::none()},
                      RemoteTrouble{"half_open", kOpen, "", "/", Fault::silence()},
                      RemoteTrouble{"half_open_at_blobs", kOpen, "GET", "/cas/", Fault::silence()},
                      RemoteTrouble{"resets_in_the_middle", kOpen, "GET", "/cas/", Fault::reset(1000)},
                      RemoteTrouble{"answers_500", kOpen, "", "/", Fault::status(500)},
                      RemoteTrouble{"answers_503", kOpen, "", "/", Fault::status(503)},
                      RemoteTrouble{"answers_503_for_blobs", kOpen, "", "/cas/", Fault::status(503)},
                      RemoteTrouble{"wants_a_minute", kOpen, "", "/", Fault::status(429, kLate)},
                      RemoteTrouble{"wants_a_second_again_and_again", kOpen, "", "/",
                                    Fault::status(429, kSoon)},
                      RemoteTrouble{"hangs_up_in_the_middle", kOpen, "GET", "/cas/", Fault::cut(1000)},
                      RemoteTrouble{"sends_shorter_blobs", kOpen, "GET", "/cas/", Fault::shorten(1000)},
                      RemoteTrouble{"sends_shorter_records", kOpen, "GET", "/ac/", Fault::shorten(20)},
                      RemoteTrouble{"flips_a_byte_of_blobs", kOpen, "GET", "/cas/", Fault::flip(500)},
                      RemoteTrouble{"flips_a_byte_of_records", kOpen, "GET", "/ac/", Fault::flip(0)},
                      RemoteTrouble{"trickles", kOpen, "", "/", Fault::trickle()},
                      RemoteTrouble{"trickles_blobs", kOpen, "GET", "/cas/", Fault::trickle()}),
    name_of_trouble);

class PushFault : public RemoteFault, public ::testing::WithParamInterface<RemoteTrouble> {};

TEST_P(PushFault, is_told_once_and_made_good_by_the_next_run) {
  ASSERT_TRUE(nginx.running()) << nginx.errors();
  const auto& trouble = GetParam();
  proxy.choose(fault_for(trouble.method, trouble.prefix, trouble.fault));
  proxy.set(trouble.door);
  const auto run = run_in("first");
  expect_went_well(run, "first");
  EXPECT_EQ(run.built, all_elements());
  expect_one_warning(run);
  EXPECT_EQ(sum(run.finished, "pushed"), 0) << run.finished.out;
  proxy.heal();
  const auto again = run_patiently_in("first");
  EXPECT_EQ(again.built, "");
  EXPECT_EQ(sum(again.finished, "pushed"), kFaultElements) << again.finished.out;
  EXPECT_TRUE(warnings_of(again.finished).empty());
  expect_all_pulled(run_patiently_in("second"));
  EXPECT_EQ(outputs("second"), outputs("first"));
}

INSTANTIATE_TEST_SUITE_P(
    RemoteFault, PushFault,
    ::testing::Values(RemoteTrouble{"refuses", FaultProxy::Door::shut, "", "/", Fault::none()},
                      RemoteTrouble{"black_hole", FaultProxy::Door::deaf, "", "/", Fault::none()},
                      RemoteTrouble{"half_open", kOpen, "PUT", "/", Fault::silence()},
                      RemoteTrouble{"half_open_at_questions", kOpen, "HEAD", "/", Fault::silence()},
                      RemoteTrouble{"resets_in_the_middle", kOpen, "PUT", "/cas/", Fault::reset(100)},
                      RemoteTrouble{"hangs_up_in_the_middle", kOpen, "PUT", "/cas/", Fault::cut(100)},
                      RemoteTrouble{"answers_500", kOpen, "PUT", "/", Fault::status(500)},
                      RemoteTrouble{"answers_503_for_records", kOpen, "PUT", "/ac/", Fault::status(503)},
                      RemoteTrouble{"is_full", kOpen, "PUT", "/", Fault::status(507)},
                      RemoteTrouble{"wants_a_minute", kOpen, "PUT", "/", Fault::status(429, kLate)},
                      RemoteTrouble{"refuses_uploads", kOpen, "PUT", "/", Fault::status(403)},
                      RemoteTrouble{"sends_uploads_elsewhere", kOpen, "PUT", "/",
                                    Fault::redirect("http://127.0.0.1:1")},
                      RemoteTrouble{"trickles_its_answers", kOpen, "PUT", "/", Fault::trickle()}),
    name_of_trouble);

TEST_F(RemoteFault, who_wants_a_second_gets_it) {
  ASSERT_NO_FATAL_FAILURE(push_all());
  proxy.choose(fault_for("GET", "/ac/", Fault::status(429, kSoon), 0, kFaultElements));
  const auto run = run_patiently_in("second");
  expect_went_well(run, "second");
  expect_all_pulled(run);
  EXPECT_EQ(proxy.count("GET", "/ac/"), 3u * kFaultElements) << "the first run, then each of them twice";
}

// What is wrong on the server: said once, not used, and replaced by the run that finds it.
class DamagedAtRest : public RemoteFault, public ::testing::WithParamInterface<const char*> {
 protected:
  void damage(const std::string& file) const {
    const std::string how = GetParam();
    auto bytes = content(file);
    if (how == "flipped") bytes[bytes.size() / 2] ^= 1;
    if (how == "shorter") bytes.resize(bytes.size() / 2);
    if (how == "longer") bytes += bytes;
    if (how == "empty") bytes.clear();
    if (how == "missing") fs::remove(file);
    else std::ofstream(file, std::ios::binary) << bytes;
  }
  std::vector<std::string> stored(const std::string& folder) const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(nginx.folder / ("www/" + folder)))
      if (entry.is_regular_file()) files.push_back(entry.path());
    return files;
  }
};

TEST_P(DamagedAtRest, is_replaced) {
  ASSERT_NO_FATAL_FAILURE(push_all());
  std::map<std::string, std::string> good;
  for (const auto& file : stored("cas")) {
    good[file] = content(file);
    if (good[file].size() > 100'000) damage(file);  // one of each element
  }
  const auto run = run_patiently_in("second");
  expect_went_well(run, "second");
  EXPECT_EQ(run.built, all_elements());
  expect_one_warning(run);
  EXPECT_EQ(sum(run.finished, "pushed"), kFaultElements) << run.finished.out;
  for (const auto& [file, bytes] : good) EXPECT_TRUE(content(file) == bytes) << file;
  expect_all_pulled(run_patiently_in("third"));
  EXPECT_EQ(outputs("third"), outputs("first"));
}

INSTANTIATE_TEST_SUITE_P(RemoteFault, DamagedAtRest,
                         ::testing::Values("flipped", "shorter", "longer", "empty", "missing"),
                         [](const auto& one) { return std::string(one.param); });

// One element with one large file.
class LargeBlob : public RemoteFault {
 protected:
  static constexpr std::uint64_t kMiB = 1 << 20;
  void make(std::uint64_t size, const std::string& patience, const std::string& more = {}, int elements = 1) {
    project.file("weir.toml",
                 "weir = 1\n[project]\nname = \"t\"\n[[remote]]\nurl = \"" + proxy.url() +
                     "\"\npush = true\n" + patience + more +
                     "[element.big]\nkind = \"script\"\nconfig.commands = [\"yes weir | head -c " +
                     std::to_string(size) + " > $WEIR_OUT/big\"]\n");
    auto first = run_in("first");
    // A line is not steady while the machine has no time for the proxy; then a remote that was left alone
    // proves nothing.
    for (int again = 0; again < 3 && pressure_ > kStarved && sum(first.finished, "pushed") != elements;
         ++again)
      first = run_in("first");
    ASSERT_EQ(sum(first.finished, "pushed"), elements) << first.finished.out << first.finished.err;
  }
  void expect_pulled(const RunFacts& run, int elements = 1) {
    EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
    EXPECT_EQ(run.built, "") << run.finished.out;
    EXPECT_EQ(sum(run.finished, "pulled"), elements);
    EXPECT_TRUE(warnings_of(run.finished).empty()) << run.finished.out;
    project.use_cache(project.path() + "/second");
    const auto output = shown(project, "big", "output", {"--no-remote"});
    EXPECT_EQ(weir(project, {"cache", "verify"}).exit, 0);
    project.use_cache(project.path() + "/first");
    EXPECT_EQ(output, shown(project, "big", "output", {"--no-remote"}));
  }
};

TEST_F(LargeBlob, a_line_that_dies_in_the_middle_once_costs_no_fallback) {
  ASSERT_NO_FATAL_FAILURE(make(64 * kMiB, kPatient));
  std::string died;
  proxy.choose([&](const ProxiedRequest& request) {
    if (!died.empty() || request.method != "GET" || !request.path.starts_with("/cas/")) return Fault::none();
    if (fs::file_size(nginx.folder / ("www" + request.path)) < 64 * kMiB) return Fault::none();
    died = request.path;
    return Fault::reset(32 * kMiB);
  });
  expect_pulled(run_in("second"));
  EXPECT_EQ(proxy.count("GET", died), 2u) << "the one that died and the one that came";
}

TEST_F(LargeBlob, a_line_that_dies_in_the_middle_of_an_upload_once_is_no_trouble) {
  proxy.choose([&, died = false](const ProxiedRequest& request) mutable {
    if (died || request.length < 64 * kMiB) return Fault::none();
    died = true;
    return Fault::reset(32 * kMiB);
  });
  ASSERT_NO_FATAL_FAILURE(make(64 * kMiB, kPatient));
  expect_pulled(run_in("second"));
}

// Half a megabyte in a second is no fast line, but it is one.
TEST_F(LargeBlob, a_line_that_is_slow_and_steady_is_used) {
  ASSERT_NO_FATAL_FAILURE(make(4 * kMiB, kPatientWithSilence));
  proxy.choose(fault_for("GET", "/cas/", Fault::throttle(kMiB / 2)));
  expect_pulled(run_in("second"));
}

TEST_F(LargeBlob, uploads_on_a_line_that_is_slow_and_steady_arrive) {
  proxy.choose(fault_for("PUT", "/cas/", Fault::throttle(kMiB / 2)));
  ASSERT_NO_FATAL_FAILURE(make(4 * kMiB, kPatientWithSilence));
  proxy.heal();
  expect_pulled(run_in("second"));
}

// Many at once share the line, and none of them is fast.
TEST_F(RemoteFault, many_blobs_on_a_line_that_is_slow_and_steady_arrive) {
  ASSERT_NO_FATAL_FAILURE(push_all());
  proxy.choose(fault_for("GET", "/cas/", Fault::throttle(256 << 10)));
  expect_all_pulled(run_patiently_in("second", kPatientWithSilence));
}

// The incident: a request was lost on its way. As long as others gave signs of life its job waited, and then
// the remote was given up.
TEST_F(LargeBlob, a_request_that_is_lost_while_others_go_on_is_made_again) {
  ASSERT_NO_FATAL_FAILURE(
      make(4 * kMiB, kPatientWithSilence,
           "[element.small]\nkind = \"script\"\nconfig.commands = [\"echo small > $WEIR_OUT/small\"]\n", 2));
  // Half a megabyte in a second for what is large: until then the lost one would be waited for.
  proxy.choose([&, lost = false](const ProxiedRequest& request) mutable {
    if (request.method != "GET" || !request.path.starts_with("/cas/")) return Fault::none();
    const auto size = fs::file_size(nginx.folder / ("www" + request.path));
    if (size == 4 * kMiB) return Fault::throttle(kMiB / 2);
    if (lost || size != 6) return Fault::none();
    lost = true;
    return Fault::silence();
  });
  expect_pulled(run_in("second"), 2);
}

// Never three times in a row, so that it is no matter of luck: from the fourth on a remote is left alone, and
// rightly so.
TEST_F(RemoteFault, a_server_that_is_out_of_breath_now_and_then_is_asked_again) {
  ASSERT_NO_FATAL_FAILURE(push_all());
  const auto seed = std::random_device{}();
  RecordProperty("seed", static_cast<int>(seed));
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  int row = 0, failed = 0;
  std::map<std::string, int> of_path;
  proxy.choose([&](const ProxiedRequest& request) {
    const bool fails = random() % 5 == 0 && row < 2 && of_path[request.path] < 2;
    row = fails ? row + 1 : 0;
    of_path[request.path] = fails ? of_path[request.path] + 1 : 0;
    failed += fails;
    return fails ? Fault::status(503) : Fault::none();
  });
  const auto run = run_patiently_in("second");
  expect_went_well(run, "second");
  expect_all_pulled(run);
  EXPECT_EQ(outputs("second"), outputs("first"));
  std::printf("%d failed\n", failed);
}

TEST_F(RemoteFault, a_token_goes_to_no_other_server) {
  FaultyServer elsewhere;
  project.set("CACHE_TOKEN=sesame");
  const auto host = proxy.url().substr(proxy.url().find("//") + 2);
  project.file(".config/weir/config.toml",
               "[[credential]]\nhost = \"" + host + "\"\ntoken-env = \"CACHE_TOKEN\"\nallow-http = true\n");
  write_project(proxy.url());
  ASSERT_NO_FATAL_FAILURE(push_all());
  for (const auto& request : proxy.requests())
    EXPECT_NE(request.head.find("Bearer sesame"), std::string::npos) << request.head;
  proxy.choose(fault_for("", "/", Fault::redirect(elsewhere.url(""))));
  const auto run = run_in("second");
  expect_went_well(run, "second");
  EXPECT_EQ(run.built, all_elements()) << "the other one has nothing";
  EXPECT_LE(warnings_of(run.finished).size(), 1u);
  EXPECT_GT(elsewhere.count(), 0u);
  for (const auto& request : elsewhere.requests()) {
    EXPECT_EQ(request.header("authorization"), "") << request.method << " " << request.path;
    EXPECT_NE(request.method, "PUT");
  }
  proxy.heal();
  expect_all_pulled(run_patiently_in("third"));
}

// The one who is sent on may be served there.
TEST_F(RemoteFault, what_another_server_has_is_taken_from_there) {
  ASSERT_NO_FATAL_FAILURE(push_all());
  proxy.choose(fault_for("GET", "/cas/", Fault::redirect(nginx.url(""))));
  expect_all_pulled(run_patiently_in("second"));
}

class Untrusted : public RemoteFault {
 protected:
  void expect_refused(const std::string& url, const std::string& ca, const std::string& word) {
    write_project(url, "ca = \"" + ca + "\"\n");
    const auto run = run_in("first");
    expect_went_well(run, "first");
    EXPECT_EQ(run.built, all_elements());
    const auto warnings = warnings_of(run.finished);
    ASSERT_EQ(warnings.size(), 1u) << run.finished.out;
    EXPECT_NE(warnings[0].find(word), std::string::npos) << warnings[0];
    EXPECT_EQ(sum(run.finished, "pushed"), 0);
    EXPECT_LT(lost_seconds(run.finished), 1 + kBusyMachine + pressure_) << "nothing to wait for";
  }
};

TEST_F(Untrusted, a_certificate_of_another_name_is_refused) {
  const Nginx other({}, Nginx::kTakesUploads);
  expect_refused(other.secure_url("", "localhost"), other.folder / "certificate.pem", "localhost");
  write_project(other.secure_url(""), "ca = \"" + other.folder / "certificate.pem" + "\"\n");
  EXPECT_EQ(sum(run_patiently_in("first").finished, "pushed"), kFaultElements)
      << "by its right name it can be used";
}

TEST_F(Untrusted, a_certificate_that_is_over_is_refused) {
  const TemporaryFolder made;
  made.write("ca.conf",
             "[ca]\ndefault_ca = own\n[own]\ndatabase = index\nserial = serial\nnew_certs_dir = "
             ".\ndefault_md = sha256\n"
             "policy = any\nx509_extensions = more\n[any]\ncommonName = supplied\n[more]\nsubjectAltName = "
             "IP:127.0.0.1\n");
  made.write("index", "");
  made.write("serial", "01\n");
  run_program(made.path(),
              {"openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
               "-nodes", "-subj", "/CN=127.0.0.1", "-keyout", "key.pem", "-out", "request.pem"});
  run_program(made.path(), {"openssl", "ca", "-batch", "-config", "ca.conf", "-selfsign", "-keyfile",
                            "key.pem", "-in", "request.pem", "-out", "old.pem", "-notext", "-startdate",
                            "20200101000000Z", "-enddate", "20200201000000Z"});
  const Nginx other({}, fmt::format("ssl_certificate {0}/old.pem; ssl_certificate_key {0}/key.pem; {1}",
                                    made.path(), Nginx::kTakesUploads));
  ASSERT_TRUE(other.running()) << other.errors();
  expect_refused(other.secure_url(""), made / "old.pem", "expired");
}

// A server that dies in the middle of a run is one more that is dead.
TEST_F(RemoteFault, a_server_that_falls_silent_half_way_costs_no_more) {
  ASSERT_NO_FATAL_FAILURE(push_all());
  proxy.choose(fault_for("GET", "/", Fault::silence(), 25));
  const auto run = run_in("second");
  expect_went_well(run, "second");
  expect_one_warning(run);
  EXPECT_EQ(outputs("second"), outputs("first"));
}

}  // namespace
}  // namespace weir::test
