// A real nginx for a test: serves the folder "www" of its own temporary folder, by http and by https with a
// certificate for 127.0.0.1 that nobody trusts ("certificate.pem"). Stopped with the test.
//
// Its ports are never free for others: each is reserved by the test, and nginx shares it (SO_REUSEPORT).
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "tests/support/program.h"
#include "tests/support/reserved_port.h"
#include "tests/support/temporary_folder.h"

namespace weir {

class Nginx {
 public:
  // Takes whatever is put, as a remote of weir does.
  static constexpr const char* kTakesUploads =
      "location / { dav_methods PUT; create_full_put_path on; client_max_body_size 0; }";

  // Further directives: `location` for the http server, `secure` for the https server; `listen` follows "ssl"
  // of the latter.
  explicit Nginx(std::string location = {}, std::string secure = {}, std::string listen = {})
      : location_(std::move(location)), secure_(std::move(secure)), listen_(std::move(listen)) {
    std::filesystem::create_directories(folder / "www");
    std::filesystem::create_directories(folder / "temp");
    Program made(
        {"/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"},
        {"PATH=/usr/bin"});
    made.wait();
    start();
  }

  bool running() const { return running_; }
  std::string url(const std::string& path) const {
    return fmt::format("http://127.0.0.1:{}{}", port_.number(), path);
  }
  std::string secure_url(const std::string& path, const std::string& host = "127.0.0.1") const {
    return fmt::format("https://{}:{}{}", host, secure_port_.number(), path);
  }
  void put(const std::string& name, const std::string& content) const {
    folder.write("www/" + name, content);
  }
  std::string errors() const { return folder.read("error.log"); }

  TemporaryFolder folder;

 private:
  void start() {
    const auto& path = folder.path();
    folder.write(
        "nginx.conf",
        fmt::format(R"(daemon off; master_process off; pid {0}/nginx.pid; error_log {0}/error.log; {1}
events {{ }}
http {{
  access_log off; root {0}/www; client_body_temp_path {0}/temp/a; proxy_temp_path {0}/temp/b; fastcgi_temp_path {0}/temp/c;
  uwsgi_temp_path {0}/temp/d; scgi_temp_path {0}/temp/e;
  server {{ listen 127.0.0.1:{2} reuseport; {4} }}
  server {{ listen 127.0.0.1:{3} ssl reuseport {6}; ssl_certificate {0}/certificate.pem; ssl_certificate_key {0}/key.pem; {5} }}
}}
)",
                    path, ::geteuid() == 0 ? "user root;" : "", port_.number(), secure_port_.number(),
                    location_, secure_, listen_));
    process_ =
        std::make_unique<Program>(std::vector<std::string>{"/usr/sbin/nginx", "-p", path, "-e",
                                                           folder / "error.log", "-c", folder / "nginx.conf"},
                                  std::vector<std::string>{"PATH=/usr/bin:/usr/sbin"});
    // It writes its pid when it listens.
    const auto listens = [&] { return std::filesystem::exists(folder / "nginx.pid"); };
    running_ = eventually([&] { return process_->has_ended() || listens(); }) && !process_->has_ended();
  }

  std::string location_;
  std::string secure_;
  std::string listen_;
  const ReservedPort port_;
  const ReservedPort secure_port_;
  bool running_ = false;
  std::unique_ptr<Program> process_;
};

}  // namespace weir
