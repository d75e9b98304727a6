#include <expat.h>
#include <jansson.h>
#include <lauxlib.h>
#include <libxml/xmlversion.h>
#include <lua.h>
#include <lualib.h>
#include <png.h>
#include <stdio.h>
#include <yaml.h>
#include <zlib.h>

// Each library is called, and says which one it is.
int main(void) {
  lua_State* lua = luaL_newstate();
  luaL_openlibs(lua);
  luaL_dostring(lua, "return _VERSION .. ' ' .. 6 * 7");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, 0, 0, 0);
  LIBXML_TEST_VERSION
  printf("zlib %s\nlibpng %s %s\n%s\nyaml %s\n%s\njansson %s\nlibxml2 %s\n", zlibVersion(),
         png_get_libpng_ver(png), png ? "works" : "fails", XML_ExpatVersion(), yaml_get_version_string(),
         lua_tostring(lua, -1), jansson_version_str(), LIBXML_DOTTED_VERSION);
  lua_close(lua);
  return 0;
}
