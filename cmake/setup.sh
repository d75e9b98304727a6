# Sourced by examples/run, tests/run, bench/run and others: installs missing packages, configures and builds. Each
# step is checked cheaply first (dpkg-query 10 ms, a no-op ninja 100 ms), so a second run does no set-up.
# shellcheck shell=bash
weir_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# weir_packages PURPOSE..: the names below these headings of cmake/packages.txt.
weir_packages() {
  awk -v purposes=" $* " '/^\[/ { wanted = index(purposes, " " substr($1, 2, length($1) - 2) " ") } /^[a-z]/ && wanted' \
    "$weir_top/cmake/packages.txt"
}

# Those of the packages that are not installed. An unknown name makes dpkg-query fail and is missing too.
weir_missing_packages() {
  local installed
  # shellcheck disable=SC2046  # one word per package
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $(weir_packages "$@") 2>/dev/null || true)
  weir_packages "$@" | while read -r package; do
    grep -qx "$package installed" <<<"$installed" || echo "$package"
  done
}

# weir_install PURPOSE..
weir_install() {
  command -v dpkg-query >/dev/null || return 0 # not a Debian: CMake reports each library that it does not find
  local missing sudo=""
  missing=$(weir_missing_packages "$@" | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "missing packages; as root: apt-get install --no-install-recommends $missing" >&2
      return 1
    }
    sudo=sudo
  fi
  echo "installing: $missing" >&2
  # A fresh system has no package lists, and old lists name files that are gone.
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
  # shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# weir_configure PRESET [-DNAME=VALUE..]: if that was never done, or a value differs from the one in the cache.
weir_configure() {
  local preset=$1 directory setting
  shift
  directory=$(weir_build_directory "$preset")
  if [ -e "$directory/build.ninja" ]; then
    for setting in "$@"; do
      grep -q "^${setting%%=*}:[A-Z]*=${setting#*=}\$" <<<"$(sed 's/^/-D/' "$directory/CMakeCache.txt")" || break
      setting=""
    done
    [ -n "${setting:-}" ] || return 0
  fi
  (cd "$weir_top" && cmake --preset "$preset" "$@" >&2)
}

# weir_build PRESET [TARGET..]: the targets, or everything that is configured.
weir_build() {
  local preset=$1
  shift
  weir_run_for "$preset" ninja --quiet -C "$(weir_build_directory "$preset")" "$@" >&2
}

# weir_build_tests PRESET [TARGET..]: with what the tests need installed and configured.
weir_build_tests() {
  weir_install program complete packages tests
  weir_configure "$1" -DWEIR_COMPLETE=ON -DWEIR_TESTS=ON
  weir_build "$@"
}

weir_build_directory() { [ "$1" = release ] && echo "$weir_top/build" || echo "$weir_top/build-$1"; }

# weir_run_for PRESET COMMAND..: ThreadSanitizer of gcc 12 aborts under the 32 bits of address randomisation that
# newer kernels may use. Builds need this too, since test programs are run to list their tests.
weir_run_for() {
  local preset=$1
  shift
  if [ "$preset" = tsan ] && setarch -R true 2>/dev/null; then set -- setarch -R "$@"; fi
  TSAN_OPTIONS="suppressions=$weir_top/cmake/tsan.supp${TSAN_OPTIONS:+ $TSAN_OPTIONS}" "$@"
}
