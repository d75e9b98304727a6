#include "animal.h"

RESOLVES(reply->complain(reply, view_of(""), view_of("zoo says no"), view_of("")); return answer(reply, "{}"))
