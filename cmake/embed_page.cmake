# cmake -DFOLDER=core/report/page -DSCRIPTS=a.js,b.js -DOUT=page.cpp -P embed_page.cmake: report.html with its style and scripts
# in it, as the strings of core/report/report_page.h. The policy of the page names both by their hashes, so that nothing else runs.
cmake_minimum_required(VERSION 3.25)

# SHA-256 in base64, which CMake cannot write: three digits of 4 bits are two of 6, and one is left over.
function(hash_of text out)
  string(SHA256 hex "${text}")
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(base64 "")
  foreach(at RANGE 0 60 3)
    string(SUBSTRING ${hex} ${at} 3 three)
    math(EXPR high "0x${three} >> 6")
    math(EXPR low "0x${three} & 63")
    string(SUBSTRING ${digits} ${high} 1 first)
    string(SUBSTRING ${digits} ${low} 1 second)
    string(APPEND base64 ${first}${second})
  endforeach()
  string(SUBSTRING ${hex} 63 1 last)
  math(EXPR last "0x${last} << 2")
  string(SUBSTRING ${digits} ${last} 1 last)
  set(${out} "sha256-${base64}${last}=" PARENT_SCOPE)
endfunction()

# Bytes are counted here, so letters must be bytes.
function(read_ascii file out)
  file(READ ${FOLDER}/${file} text)
  string(REGEX MATCH "[^\t\n -~]" other "${text}")
  if(other)
    message(FATAL_ERROR "${FOLDER}/${file}: only ASCII, please; \\u2026 in scripts, &hellip; in HTML")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

function(literals text out)
  set(all "")
  string(LENGTH "${text}" rest)
  set(from 0)
  while(rest GREATER 0)
    string(SUBSTRING "${text}" ${from} 16000 piece)
    string(APPEND all "    R\"page(${piece})page\",\n")
    math(EXPR from "${from} + 16000")
    math(EXPR rest "${rest} - 16000")
  endwhile()
  set(${out} "${all}" PARENT_SCOPE)
endfunction()

read_ascii(report.html page)
read_ascii(report.css style)
set(script "'use strict';\n(() => {\n")
string(REPLACE "," ";" SCRIPTS "${SCRIPTS}")
foreach(file IN LISTS SCRIPTS)
  read_ascii(${file} part)
  string(APPEND script "${part}\n")
endforeach()
string(APPEND script "})();\n")
if(script MATCHES "</script|<!--" OR style MATCHES "</style")
  message(FATAL_ERROR "${FOLDER}: a script or style that ends its own element")
endif()

hash_of("${script}" script_hash)
hash_of("${style}" style_hash)
string(REPLACE "@POLICY@" "default-src 'none'; style-src '${style_hash}'; script-src '${script_hash}'; base-uri 'none'; form-action 'none'" page "${page}")
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")
string(FIND "${page}" "@DATA@" at)
string(SUBSTRING "${page}" 0 ${at} before)
math(EXPR at "${at} + 6")
string(SUBSTRING "${page}" ${at} -1 after)
literals("${before}" before)
literals("${after}" after)
file(WRITE ${OUT} "#include \"core/report/report_page.h\"

namespace weir {
namespace {
constexpr std::string_view kBefore[] = {
${before}};
constexpr std::string_view kAfter[] = {
${after}};
}  // namespace
const std::span<const std::string_view> kPageBeforeData = kBefore;
const std::span<const std::string_view> kPageAfterData = kAfter;
}  // namespace weir
")
