#include "plugins/remotes/grpc/job.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "plugins/remotes/grpc/status.h"

namespace weir::reapi {

void Job::end(const sdk::Ended& how) {
  if (std::exchange(is_over_, true)) return;
  for (const auto call : calls_) line_.cancel(call);
  over_();
  sink_.ended(operation_.number, how);
}

void Job::end_with(const Status& status) { end(ended_of(status, operation_.action)); }

std::optional<std::string> Job::read(std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const auto got =
        ::pread(operation_.fd, bytes.data() + have, size - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      end(sdk::Ended::trouble(got < 0 ? std::string("cannot read the file: ") + std::strerror(errno)
                                      : "the file is shorter than what is to be sent"));
      return std::nullopt;
    }
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

bool Job::write(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto put = ::pwrite(operation_.fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      end(sdk::Ended::trouble(std::string("cannot write the file: ") + std::strerror(errno)));
      return false;
    }
    offset += static_cast<std::uint64_t>(put);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace weir::reapi
