// The shell programs of the git kind. They are constants: URLs, refs and names come as positional arguments
// and are never part of the text that a shell reads. `git` gets URLs behind `--` and refs as object names
// alone, so nothing that a remote or a project chose can be taken for an option; protocols that run commands
// (ext::) are off.
//
// Exit codes: kGitNetwork is worth a retry, kGitSource is not, kGitMissing is that git is not installed. The
// last line says why.
#pragma once

namespace weir::kinds {

inline constexpr int kGitNetwork = 77;
inline constexpr int kGitSource = 78;
inline constexpr int kGitMissing = 79;

// Both programs begin with this. What git says is kept in a file and shown; trouble that a retry cannot mend
// is told from trouble on the way by git's words, since its exit code is 128 for all of it.
inline constexpr char kGitCommon[] = R"sh(
export GIT_TERMINAL_PROMPT=0 GIT_ALLOW_PROTOCOL=file:git:http:https:ssh GIT_LFS_SKIP_SMUDGE=1
export GIT_ATTR_NOSYSTEM=1
export GIT_SSH_COMMAND="${GIT_SSH_COMMAND:-ssh -o BatchMode=yes -o ConnectTimeout=10}"
export GIT_HTTP_LOW_SPEED_LIMIT=1 GIT_HTTP_LOW_SPEED_TIME=30
command -v git >/dev/null || { echo 'git is not installed; install the package git' >&2; exit 79; }
# Neither messages nor logs have the passwords of URLs.
plain() { sed 's#://[^/@ ]*@#://***@#g'; }
shown=$(printf '%s\n' "$1" | plain)
is_gone() {
  case $1 in *%*) return 1 ;; file:///*) [ ! -e "${1#file://}" ] ;; /*) [ ! -e "$1" ] ;; *) return 1 ;; esac
}
give_up() {
  if is_gone "$url"; then printf 'git cannot read %s: it does not exist\n' "$shown" >&2; exit 78; fi
  said=$(plain <"$1")
  printf '%s\n' "$said" >&2
  line=$(printf '%s\n' "$said" | grep -aE '^(fatal|error|ERROR|remote|ssh):' | head -n 1)
  printf 'git cannot read %s: %s\n' "$shown" "${line:-$(printf '%s\n' "$said" | tail -n 1)}" >&2
  case $said in
    *'not found'* | *'does not appear to be a git repo'* | *'does not exist'* | *'Authentication failed'* | \
    *'could not read Username'* | *'could not read Password'* | *'Permission denied'* | *'not allowed'* | \
    *'dubious ownership'* | *'strange '*' blocked'* | *'Unable to find remote helper'* | *'no such path'* | \
    *'suspicious submodule'* | *'invalid value for'* | *'No url found for submodule'* | *'no submodule mapping found'* | \
    *'submodule not checked out'*) exit 78 ;;
  esac
  exit 77
}
)sh";

// url answer
inline constexpr char kGitTrack[] = R"sh(
url=$1 answer=$2
timeout 120 git ls-remote -- "$url" >"$answer" 2>"$answer.err" || give_up "$answer.err"
)sh";

// url ref mirror folder submodules local
// One bare mirror per URL, locked against other runs. One commit without history where the server serves it
// by its name, else all branches and tags. The user's configuration applies to the network (credentials,
// proxies) and not to the files.
//
// `git checkout` exits 0 after a write error unless it has --force; so does a `git submodule update` that
// finds the right HEAD.
//
// A killed git leaves lock files, and loose objects of which some are missing; `git checkout` of such a
// commit exits 0 without the files it could not read. So the mirror is never checked out: the commit is
// fetched from it into a repository of its own. Like any fetch, this computes each object's name from its
// content and walks the commit to see that nothing is missing. A mirror that fails it is fetched again from
// scratch, once. A full disk is no fault of the mirror, nor is any failure after that fetch.
//
// git inherits the descriptor of the lock, so a git that outlives this shell keeps the mirror locked, and any
// lock file found under the lock belongs to a git that is dead.
inline constexpr char kGitFetch[] = R"sh(
set -u
url=$1 ref=$2 mirror=$WEIR_CACHE/$3 folder=$4 submodules=$5 local=$6
said=$PWD/$folder.err
fail() { cat "$said" >&2; printf '%s\n' "$1: $(grep -aE '^(fatal|error):' "$said" | head -n 1)" >&2; exit 79; }
mirror_git() { git --git-dir="$mirror" -c gc.auto=0 -c maintenance.auto=false "$@" 2>"$said"; }
plain_git() {
  GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null git -c core.hooksPath=/dev/null -c core.autocrlf=false \
    -c core.attributesFile=/dev/null "$@" 2>"$said"
}
has_commit() { mirror_git cat-file -e "$ref^{commit}"; }
new_mirror() {
  rm -rf "$mirror" && git init --quiet --bare --template= "$mirror" 2>"$said" || fail "cannot create the git mirror $mirror"
}
is_complete() { mirror_git rev-list --objects --all --quiet; }
# The damaged one stays until the new one is complete: it may hold other commits that the server has lost.
replace_mirror() {
  printf 'the mirror of %s is incomplete or damaged; fetching it again\n' "$shown" >&2
  damaged=$mirror mirror=$mirror.new
  new_mirror
  fetch_from_server || { ! is_out_of_space || fail "cannot fetch $shown"; give_up "$said"; }
  has_commit || no_commit
  rm -rf "$damaged" && mv "$mirror" "$damaged" 2>"$said" || fail "cannot replace the git mirror $damaged"
  mirror=$damaged
}
# Anything but files and folders is damage: git would wait for the other end of a fifo, and write through a symlink.
# FETCH_HEAD holds nothing that outlives a fetch, and a fetch fails if a folder is in its place.
remove_leftovers() {
  find "$mirror" \( -name '*.lock' -o -name 'tmp_pack_*' -o -name 'tmp_idx_*' -o -name 'tmp_obj_*' -o ! -type f ! -type d \) \
    ! -type d -exec rm -f {} + 2>"$said" && rm -rf "$mirror/FETCH_HEAD" 2>"$said" ||
    fail "cannot remove stale files of the git mirror $mirror"
}
# The same while git runs, with both ends of each fifo opened, so that a git that waits there reads the end of a file.
unblock() {
  trap 'kill $!; exit' TERM
  pause=1
  while :; do
    sleep $pause & wait $!
    find "$mirror" "$mirror.new" -type p -exec sh -c '[ -p "$1" ] && exec 3<>"$1" && [ -p "$1" ] && rm -f "$1"' sh {} \;
    [ $pause -ge 8 ] || pause=$((pause * 2))
  done
}
is_unreachable() {
  case $(cat "$1") in
    *'unable to access'* | *'Could not resolve'* | *'Connection '* | *'timed out'* | *'does not appear to be a git repo'*) return 0 ;;
  esac
  return 1
}
refuses() {
  case $(cat "$1") in
    *'not found'* | *'Authentication failed'* | *'could not read '* | *'not allowed'* | *'dubious ownership'* | *'hung up'* | *'early EOF'*)
      return 0 ;;
  esac
  return 1
}
# On this machine.
is_out_of_space() { grep -av '^remote:' "$said" | grep -aqE 'No space left on device|File too large|quota exceeded'; }
fetch_from_server() {
  mirror_git fetch --quiet --no-tags --depth 1 -- "$url" "$ref" && return
  ! is_unreachable "$said" || return 1
  deepen=
  [ ! -s "$mirror/shallow" ] || deepen=--unshallow
  mirror_git fetch --quiet $deepen -- "$url" '+refs/heads/*:refs/heads/*' '+refs/tags/*:refs/tags/*'
}
# A new repository with the commit; its objects are verified on the way.
copy_from_mirror() {
  rm -rf "$folder" && plain_git init --quiet --template= "$folder" || fail "cannot create $folder"
  mirror_git update-ref "refs/weir/$ref" "$ref" || return 1
  plain_git -C "$folder" -c gc.auto=0 -c maintenance.auto=false fetch --quiet --no-tags --depth 1 --update-shallow \
    -- "$mirror" "refs/weir/$ref" || return 1
  [ "$(plain_git -C "$folder" rev-parse FETCH_HEAD)" = "$ref" ] || { echo "error: the mirror has another commit" >"$said"; return 1; }
}
check_out() {
  plain_git -C "$folder" -c advice.detachedHead=false checkout --force --quiet --detach "$ref" || return 1
  missing=$(plain_git -C "$folder" ls-files --deleted) || return 1
  [ -z "$missing" ] || { printf 'error: not checked out: %s\n' "$missing" >"$said"; return 1; }
}
no_commit() {
  printf '%s has no commit %s any more: it was moved or removed there; `weir track` finds a new one, unless the project itself has it as ref\n' "$shown" "$ref" >&2
  exit 78
}

mkdir -p "${mirror%/*}" 2>"$said" || fail "cannot create the folder of git mirrors"
if [ -L "$mirror.lock" ] || { [ -e "$mirror.lock" ] && [ ! -f "$mirror.lock" ]; }; then rm -rf "$mirror.lock"; fi
[ ! -e "$mirror.lock" ] || [ -w "$mirror.lock" ] || chmod u+rw "$mirror.lock" 2>"$said"
{ command exec 9<>"$mirror.lock"; } 2>"$said" && flock 9 2>"$said" || fail "cannot lock the git mirror $mirror"
# Two: a git that waits for a fifo would wait for ever if the only one was killed.
unblock 9<&- </dev/null >/dev/null 2>&1 &
first=$!
unblock 9<&- </dev/null >/dev/null 2>&1 &
trap "kill $first $!" EXIT
[ ! -e "$mirror" ] && [ ! -L "$mirror" ] || remove_leftovers
# git reads these files as a whole: one that was extended to a terabyte keeps it busy for hours.
[ -z "$(find "$mirror" -path "$mirror/objects" -prune -o -type f -size +262144k -print 2>/dev/null)" ] || rm -rf "$mirror"
git --git-dir="$mirror" rev-parse --git-dir >/dev/null 2>&1 || new_mirror
if ! has_commit; then
  if ! fetch_from_server; then
    ! is_out_of_space || fail "cannot fetch $shown"
    mv "$said" "$said.fetch"
    # A failed fetch may be the fault of the mirror as well as of the server: also of a damaged object that no ref reaches.
    { is_unreachable "$said.fetch" || refuses "$said.fetch"; } && is_complete && give_up "$said.fetch"
    replace_mirror
  fi
  has_commit || no_commit
fi
copy_from_mirror || {
  ! is_out_of_space || fail "cannot check out $ref of $shown"
  plain <"$said" >&2
  replace_mirror
  copy_from_mirror || fail "cannot check out $ref of $shown"
}
check_out || fail "cannot check out $ref of $shown"
cd "$folder" || exit 1
if [ "$submodules" = true ] && [ -e .gitmodules ]; then
  git config remote.origin.url "$url" || exit 1
  # Only a repository of this machine may have submodules of this machine.
  [ "$local" = true ] || export GIT_ALLOW_PROTOCOL=git:http:https:ssh
  # The user's other settings (credentials, url.insteadOf) are needed for the network.
  modules() {
    git -c core.hooksPath=/dev/null -c core.autocrlf=false -c core.eol=lf -c core.attributesFile=/dev/null -c init.templateDir= \
      -c submodule.active=. submodule --quiet "$@" 2>"$said"
  }
  modules update --init --recursive --depth 1 || modules update --init --recursive --force || {
    ! is_out_of_space && ! grep -aq 'unable to write file' "$said" || fail "cannot check out the submodules of $shown"
    give_up "$said"
  }
  # Every file and every submodule is there, but for submodules that .gitmodules itself leaves out with `update = none`:
  # these are empty in any clone.
  is_whole='
    missing=$(git ls-files --deleted) || exit 1
    [ -z "$missing" ] || { echo "error: not checked out: ${displaypath:+$displaypath/}$missing" >&2; exit 1; }
    [ -e .gitmodules ] || exit 0
    left_out=$(git config -f .gitmodules --get-regexp "^submodule\..*\.update$" "^none$" | sed "s/^submodule\.//; s/\.update none$//" |
      while IFS= read -r module; do git config -f .gitmodules "submodule.$module.path"; done)
    all=$(git submodule status) || exit 1
    empty=$(printf "%s\n" "$all" | sed -n "s/^-[0-9a-f]* //p" | grep -vxF -e "$left_out")
    [ -z "$empty" ] || {
      echo "error: submodule not checked out: ${displaypath:+$displaypath/}$empty; see submodule.* in your git configuration" >&2
      exit 1
    }'
  (
    export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
    sh -c "$is_whole" && git submodule --quiet foreach --recursive "$is_whole"
  ) 2>"$said" || give_up "$said"
fi
find . -name .git -prune -exec rm -rf {} +
)sh";

}  // namespace weir::kinds
