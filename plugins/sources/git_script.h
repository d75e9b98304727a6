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
export GIT_SSH_COMMAND="${GIT_SSH_COMMAND:-ssh -o BatchMode=yes -o ConnectTimeout=10}"
export GIT_HTTP_LOW_SPEED_LIMIT=1 GIT_HTTP_LOW_SPEED_TIME=30
command -v git >/dev/null || { echo 'git is not installed; install the package git' >&2; exit 79; }
# Neither messages nor logs have the passwords of URLs.
plain() { sed 's#://[^/@ ]*@#://***@#g'; }
shown=$(printf '%s\n' "$1" | plain)
give_up() {
  said=$(plain <"$1")
  printf '%s\n' "$said" >&2
  line=$(printf '%s\n' "$said" | grep -E '^(fatal|error|ERROR|remote|ssh):' | head -n 1)
  printf 'git cannot read %s: %s\n' "$shown" "${line:-$(printf '%s\n' "$said" | tail -n 1)}" >&2
  case $said in
    *'not found'* | *'does not appear to be a git repo'* | *'does not exist'* | *'Authentication failed'* | \
    *'could not read Username'* | *'could not read Password'* | *'Permission denied'* | *'not allowed'* | \
    *'dubious ownership'* | *'strange '*' blocked'* | *'Unable to find remote helper'* | *'no such path'* | \
    *'suspicious submodule'* | *'invalid value for'* | *'No url found for submodule'*) exit 78 ;;
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
// One bare mirror per URL, locked against other runs. One commit without history where the server gives it by
// its name, else all branches and tags. The user's configuration counts for the network (credentials,
// proxies) and not for the files.
inline constexpr char kGitFetch[] = R"sh(
set -u
url=$1 ref=$2 mirror=$WEIR_CACHE/$3 folder=$4 submodules=$5 local=$6
said=$PWD/$folder.err
mkdir -p "${mirror%/*}" && exec 9>"$mirror.lock" && flock 9 || exit 1
git --git-dir="$mirror" rev-parse --git-dir >/dev/null 2>&1 || {
  rm -rf "$mirror"
  git init --quiet --bare --template= "$mirror" || exit 1
}
rm -f "$mirror/shallow.lock" "$mirror/packed-refs.lock" "$mirror"/objects/pack/tmp_pack_*
has_it() { git --git-dir="$mirror" cat-file -e "$ref^{commit}" 2>/dev/null; }
mirror_git() { git --git-dir="$mirror" -c gc.auto=0 -c maintenance.auto=false "$@"; }
if ! has_it; then
  mirror_git fetch --quiet --no-tags --depth 1 -- "$url" "$ref" 2>"$said" || {
    case $(cat "$said") in
      *'unable to access'* | *'Could not resolve'* | *'Connection '* | *'timed out'* | *'does not appear to be a git repo'*) give_up "$said" ;;
    esac
    deepen=
    [ ! -s "$mirror/shallow" ] || deepen=--unshallow
    mirror_git fetch --quiet $deepen -- "$url" '+refs/heads/*:refs/heads/*' '+refs/tags/*:refs/tags/*' 2>"$said" || give_up "$said"
  }
fi
has_it || { printf '%s has no commit %s any more: it was moved or removed there; `weir track` finds a new one, unless the project itself has it as ref\n' "$shown" "$ref" >&2; exit 78; }
mirror_git update-ref "refs/weir/$ref" "$ref" || exit 1
rm -rf "$folder" && git init --quiet --template= "$folder" && cd "$folder" || exit 1
printf '%s\n' "$mirror/objects" >.git/objects/info/alternates
[ ! -e "$mirror/shallow" ] || cp "$mirror/shallow" .git/shallow
plain_git() { GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null git -c core.hooksPath=/dev/null -c core.autocrlf=false "$@"; }
plain_git -c advice.detachedHead=false checkout --quiet --detach "$ref" 2>"$said" || {
  cat "$said" >&2
  rm -rf "$mirror"
  printf 'the mirror of %s was damaged; it is removed and made again\n' "$shown" >&2
  exit 77
}
if [ "$submodules" = true ] && [ -e .gitmodules ]; then
  git config remote.origin.url "$url" || exit 1
  # Only a repository of this machine may have submodules of this machine.
  [ "$local" = true ] || export GIT_ALLOW_PROTOCOL=git:http:https:ssh
  modules() { git -c core.hooksPath=/dev/null submodule --quiet update --init --recursive "$@" 2>"$said"; }
  modules --depth 1 || modules || give_up "$said"
fi
find . -name .git -prune -exec rm -rf {} +
)sh";

}  // namespace weir::kinds
