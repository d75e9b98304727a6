// The shell programs of the git kind. They are constants: URLs, refs and names are passed as positional
// arguments and never become part of the program text. `git` gets URLs after `--` and refs only as object
// names, so it cannot mistake anything chosen by a remote or a project for an option. Protocols that run
// commands (ext::) are disabled.
//
// Exit codes: kGitNetwork for failures worth a retry, kGitSource for those that are not, kGitMissing for
// those of this machine, for example that git is not installed. The last line of the output is the reason.
#pragma once

namespace weir::kinds {

inline constexpr int kGitNetwork = 77;
inline constexpr int kGitSource = 78;
inline constexpr int kGitMissing = 79;

// The common part of both programs. Git exits with 128 for any failure, so its messages, which are kept in a
// file, decide whether a retry can help.
inline constexpr char kGitCommon[] = R"sh(
export GIT_TERMINAL_PROMPT=0 GIT_ALLOW_PROTOCOL=file:git:http:https:ssh GIT_LFS_SKIP_SMUDGE=1
export GIT_ATTR_NOSYSTEM=1
export GIT_SSH_COMMAND="${GIT_SSH_COMMAND:-ssh -o BatchMode=yes -o ConnectTimeout=10}"
export GIT_HTTP_LOW_SPEED_LIMIT=1 GIT_HTTP_LOW_SPEED_TIME=30
command -v git >/dev/null || { echo 'git is not installed; install the package git' >&2; exit 79; }
# Removes the passwords of URLs from messages and logs.
plain() { sed 's#://[^/@ ]*@#://***@#g'; }
# For a URL without encryption git gets no passwords of the user: neither from a netrc file nor from credential helpers. Of the home
# folder it sees all but the netrc file, since settings may refer to other files there.
keep_passwords_private() {
  home=$(mktemp -d "$PWD/home.XXXXXX") || exit 79
  [ -z "${HOME:-}" ] || find "$HOME" -mindepth 1 -maxdepth 1 ! -name '*netrc*' -exec ln -s -t "$home" {} + 2>/dev/null
  export HOME="$home" GIT_ASKPASS=
  export GIT_CONFIG_PARAMETERS="${GIT_CONFIG_PARAMETERS:+$GIT_CONFIG_PARAMETERS }'credential.helper=' 'http.extraHeader='"
}
# Any other URL must not lead to one without encryption, by a redirect or by a submodule.
case $(git ls-remote --get-url -- "$1") in
  http:*) keep_passwords_private ;;
  git:*) export GIT_ALLOW_PROTOCOL=file:git:https:ssh ;;
  *) export GIT_ALLOW_PROTOCOL=file:https:ssh ;;
esac
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
// There is one bare mirror per URL, locked against other runs. The commit is fetched without its history if
// the server serves commits by name, otherwise all branches and tags are fetched. The user's configuration
// applies to the network (credentials, proxies) but not to the files.
//
// A killed git leaves lock files behind, and sets of loose objects that are incomplete. The mirror is never
// checked out: the commit is fetched from it into a new repository. Like any fetch, this computes the name of
// each object from its content and checks that none is missing. A mirror that fails this check is fetched
// again from scratch, once. A full disk is not the mirror's fault, nor is any failure after that check.
//
// `git checkout` can exit with 0 although it could not read an object or write a file, and so can
// `git submodule update` if HEAD is right. Therefore the files are compared with the commit afterwards.
//
// Git inherits the descriptor of the lock: a git that outlives its shell keeps the mirror locked, so any lock
// file found while holding the lock belongs to a git that is dead.
//
// Git blocks when it opens a fifo that took the place of a file of the mirror. The main shell removes such
// fifos while another shell does the work. When the main shell is killed, weir ends all other processes of
// the job, so there is no process without which git could wait forever.
inline constexpr char kGitFetch[] = R"sh(
set -u
url=$1 ref=$2 mirror=$WEIR_CACHE/$3 folder=$4 submodules=$5 local=$6
said=$PWD/$folder.err
fail() { cat "$said" >&2; printf '%s\n' "$1: $(grep -aE '^(fatal|error):' "$said" | head -n 1)" >&2; exit 79; }
mirror_git() { git --git-dir="$mirror" -c gc.auto=0 -c maintenance.auto=false "$@" 2>"$said"; }
# Disables the user's configuration.
plain_environment() {
  unset GIT_CONFIG_PARAMETERS
  export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_COUNT=2
  export GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null
  export GIT_CONFIG_KEY_1=core.attributesFile GIT_CONFIG_VALUE_1=/dev/null
}
plain_git() { (plain_environment && git "$@") 2>"$said"; }
has_commit() { mirror_git cat-file -e "$ref^{commit}"; }
new_mirror() {
  rm -rf "$mirror" && git init --quiet --bare --template= "$mirror" 2>"$said" || fail "cannot create the git mirror $mirror"
}
is_complete() { mirror_git rev-list --objects --all --quiet; }
# Keeps the damaged mirror until the new one is complete: it may have other commits that the server has lost.
replace_mirror() {
  printf 'the mirror of %s is incomplete or damaged; fetching it again\n' "$shown" >&2
  damaged=$mirror mirror=$mirror.new
  new_mirror
  fetch_from_server || { ! is_out_of_space || fail "cannot fetch $shown"; give_up "$said"; }
  has_commit || no_commit
  rm -rf "$damaged" && mv "$mirror" "$damaged" 2>"$said" || fail "cannot replace the git mirror $damaged"
  mirror=$damaged
}
# Everything except files and folders is damage: git would block on a fifo and write through a symlink. FETCH_HEAD is only
# needed during a fetch, which fails if a folder is in its place.
remove_leftovers() {
  find "$mirror" \( -name '*.lock' -o -name 'tmp_pack_*' -o -name 'tmp_idx_*' -o -name 'tmp_obj_*' -o ! -type f ! -type d \) \
    ! -type d -exec rm -f {} + 2>"$said" && rm -rf "$mirror/FETCH_HEAD" 2>"$said" ||
    fail "cannot remove stale files of the git mirror $mirror"
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
# A full disk of the server does not count.
is_out_of_space() { grep -av '^remote:' "$said" | grep -aqE 'No space left on device|File too large|quota exceeded'; }
fetch_from_server() {
  mirror_git fetch --quiet --no-tags --depth 1 -- "$url" "$ref" && return
  ! is_unreachable "$said" || return 1
  deepen=
  [ ! -s "$mirror/shallow" ] || deepen=--unshallow
  mirror_git fetch --quiet $deepen -- "$url" '+refs/heads/*:refs/heads/*' '+refs/tags/*:refs/tags/*'
}
# Fetches the commit into a new repository, which verifies its objects.
copy_from_mirror() {
  rm -rf "$folder" && plain_git init --quiet --template= "$folder" || fail "cannot create $folder"
  mirror_git update-ref "refs/weir/$ref" "$ref" || return 1
  plain_git -C "$folder" -c gc.auto=0 -c maintenance.auto=false fetch --quiet --no-tags --depth 1 --update-shallow \
    -- "$mirror" "refs/weir/$ref" || return 1
  [ "$(plain_git -C "$folder" rev-parse FETCH_HEAD)" = "$ref" ] || { echo "error: the mirror has another commit" >"$said"; return 1; }
}
# Compares the files of a repository with its commit $sha1: names, modes and content. The new index has no file times, so git
# reads every file. A correct file can still differ when converted back, for example one that was committed with CRLF and has
# the attribute `text`. So files that differ are compared without conversion, and finally with what git would write.
matches_commit='
  git_dir=$(git rev-parse --absolute-git-dir) && rm -f "$git_dir/index" && git read-tree "$sha1" || exit 1
  differs() {
    echo "error: the checkout differs from the commit: $1" >&2
    exit 1
  }
  refresh() {
    git update-index -q --refresh --ignore-submodules >/dev/null
    git diff-files --ignore-submodules --quiet
  }
  refresh || {
    mkdir -p "$git_dir/info" && echo "* -text -ident -filter -working-tree-encoding" >"$git_dir/info/attributes" || exit 1
    refresh
    rm -f "$git_dir/info/attributes"
    lost=$(git diff-files --ignore-submodules --summary) || exit 1
    [ -z "$lost" ] || differs "${displaypath:+$displaypath:}$lost"
    git diff-files --ignore-submodules --name-only -z >"$git_dir/changed" || exit 1
    different=$(xargs -0 -r sh -c "$first_different" "$sha1" <"$git_dir/changed") || differs "${displaypath:+$displaypath/}$different"
  }
'
# An empty file is never right here, and would match a git that was killed. The exit code 255 stops xargs.
first_different='
  for file do
    [ -f "./$file" ] && [ ! -L "./$file" ] && [ -s "./$file" ] && git cat-file --filters "$0:$file" | cmp -s - "./$file" || {
      printf "%s\n" "$file"
      exit 255
    }
  done
'
export first_different
# A tree names its parts by their hashes, so a few kilobytes can stand for any number of files. Their paths are counted, up to a
# limit, before one is written. Submodules are not counted.
refuse_bomb() {
  most=10000000 longest=1073741824
  set -- $(plain_git -C "$folder" ls-tree -r -t --name-only "$ref" | head -c $longest | head -n $((most + 1)) | wc -lc)
  [ "$1" -le $most ] && [ "$2" -lt $longest ] && return
  printf 'the tree of commit %s of %s is refused: it has more than %s entries, or 1 GiB of paths\n' "$ref" "$shown" $most >&2
  exit 78
}
check_out() {
  plain_git -C "$folder" -c advice.detachedHead=false checkout --force --quiet --detach "$ref" || return 1
  (plain_environment && cd "$folder" && sha1=$ref sh -c "$matches_commit") 2>"$said"
}
no_commit() {
  printf '%s has no commit %s any more: it was moved or removed there; `weir track` finds a new one, unless the project itself has it as ref\n' "$shown" "$ref" >&2
  exit 78
}

fetch() {
  trap 'kill -s USR1 $$' EXIT
  mkdir -p "${mirror%/*}" 2>"$said" || fail "cannot create the folder of git mirrors"
  if [ -L "$mirror.lock" ] || { [ -e "$mirror.lock" ] && [ ! -f "$mirror.lock" ]; }; then rm -rf "$mirror.lock"; fi
  [ ! -e "$mirror.lock" ] || [ -w "$mirror.lock" ] || chmod u+rw "$mirror.lock" 2>"$said"
  { command exec 9<>"$mirror.lock"; } 2>"$said" && flock 9 2>"$said" || fail "cannot lock the git mirror $mirror"
  [ ! -e "$mirror" ] && [ ! -L "$mirror" ] || remove_leftovers
  # Git reads these files completely, which takes hours for one that was extended to a terabyte.
  [ -z "$(find "$mirror" -path "$mirror/objects" -prune -o -type f -size +262144k -print 2>/dev/null)" ] || rm -rf "$mirror"
  git --git-dir="$mirror" rev-parse --git-dir >/dev/null 2>&1 || new_mirror
  if ! has_commit; then
    if ! fetch_from_server; then
      ! is_out_of_space || fail "cannot fetch $shown"
      mv "$said" "$said.fetch"
      # The mirror can be at fault as well as the server, even through a damaged object that no ref reaches.
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
  refuse_bomb
  check_out || fail "cannot check out $ref of $shown"
  cd "$folder" || exit 1
  if [ "$submodules" = true ] && [ -e .gitmodules ]; then
    git config remote.origin.url "$url" || exit 1
    # Only a local repository may have local submodules.
    [ "$local" = true ] || export GIT_ALLOW_PROTOCOL="${GIT_ALLOW_PROTOCOL#file:}"
    # The network needs the user's configuration (credentials, url.insteadOf), but its filters must not change files.
    mkdir -p .git/template/info && echo '* !filter' >.git/template/info/attributes || exit 1
    modules() {
      git -c core.hooksPath=/dev/null -c core.autocrlf=false -c core.eol=lf -c core.symlinks=true -c core.attributesFile=/dev/null \
        -c init.templateDir="$PWD/.git/template" -c submodule.active=. submodule --quiet "$@" 2>"$said"
    }
    no_submodules() {
      ! is_out_of_space && ! grep -aqE 'unable to write file|^error: the checkout differs' "$said" ||
        fail "cannot check out the submodules of $shown"
      give_up "$said"
    }
    modules update --init --recursive --depth 1 || modules update --init --recursive --force || no_submodules
    # Submodules for which .gitmodules has `update = none` are empty in any clone.
    has_submodules='
      [ -e .gitmodules ] || exit 0
      left_out=$(git config -f .gitmodules --get-regexp "^submodule\..*\.update$" "^none$" | sed "s/^submodule\.//; s/\.update none$//" |
        while IFS= read -r module; do git config -f .gitmodules "submodule.$module.path"; done)
      all=$(git submodule status) || exit 1
      empty=$(printf "%s\n" "$all" | sed -n "s/^-[0-9a-f]* //p" | grep -vxF -e "$left_out")
      [ -z "$empty" ] || {
        echo "error: submodule not checked out: ${displaypath:+$displaypath/}$empty; see submodule.* in your git configuration" >&2
        exit 1
      }'
    (plain_environment && sh -c "$has_submodules" && git submodule --quiet foreach --recursive "$matches_commit$has_submodules") 2>"$said" ||
      no_submodules
  fi
  find . -name .git -prune -exec rm -rf {} +
}
finish() {
  wait $fetch
  status=$?
  kill $! 2>/dev/null
  # A worker killed for lack of memory counts as a job killed for lack of memory.
  [ $status -ne 137 ] || kill -s KILL $$
  exit $status
}

trap 'fetch=${fetch:-$!}; finish' USR1
fetch &
fetch=$!
pause=1
while kill -0 $fetch 2>/dev/null; do
  sleep $pause &
  wait $!
  # With both ends of the fifo open, a git that waits there reads the end of a file.
  find "$mirror" "$mirror.new" -type p -exec sh -c '[ -p "$1" ] && exec 3<>"$1" && [ -p "$1" ] && rm -f "$1"' sh {} \; 2>/dev/null
  [ $pause -ge 8 ] || pause=$((pause * 2))
done
finish
)sh";

}  // namespace weir::kinds
