# SPDX-License-Identifier: Apache-2.0
# The headers that are precompiled, and for which targets.

# The standard headers that most files include, and the hash maps, which are the slowest to parse.
set(ARGOSY_PCH_HEADERS
  <algorithm> <array> <charconv> <chrono> <cstdint> <functional> <map> <memory> <optional> <set>
  <string> <string_view> <utility> <vector> <absl/container/flat_hash_map.h>)
set(ARGOSY_PCH_CAF_HEADERS
  <caf/actor_system.hpp> <caf/stateful_actor.hpp> <caf/typed_event_based_actor.hpp>)
# The generated headers that take longest, and the JSON library.
set(ARGOSY_PCH_PROTO_HEADERS
  <messages/proto/api/event.pb.h> <messages/proto/api/submit.pb.h>
  <messages/proto/argosy/explain.pb.h> <messages/proto/argosy/log.pb.h>
  <messages/proto/argosy/store.pb.h> <messages/proto/argosy/v1.pb.h>)

# argosy_pch(NAME HEADERS header... [LIBS lib...] [OPTIONS option...])
# Headers that are precompiled once, for the targets that name it as their PCH. These have to be
# compiled with the same options, but for warnings and the degree of optimisation (-O0 is a kind of
# its own): otherwise the compiler says that it cannot use them.
function(argosy_pch name)
  cmake_parse_arguments(A "" "" "HEADERS;LIBS;OPTIONS" ${ARGN})
  file(CONFIGURE OUTPUT pch_${name}.cpp CONTENT "")
  add_library(argosy_pch_${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/pch_${name}.cpp)
  target_link_libraries(argosy_pch_${name} PRIVATE argosy_warnings ${A_LIBS})
  target_include_directories(argosy_pch_${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(argosy_pch_${name} PRIVATE ${A_OPTIONS})
  target_precompile_headers(argosy_pch_${name} PRIVATE ${A_HEADERS})
endfunction()

argosy_pch(base HEADERS ${ARGOSY_PCH_HEADERS})
# The generated sources themselves have this one, so that it cannot name their library.
argosy_pch(proto HEADERS ${ARGOSY_PCH_HEADERS} ${ARGOSY_PCH_PROTO_HEADERS} <nlohmann/json.hpp>
  LIBS protobuf::libprotobuf)
target_include_directories(argosy_pch_proto SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/proto)
add_dependencies(argosy_pch_proto argosy_proto_generated)
argosy_pch(caf HEADERS ${ARGOSY_PCH_HEADERS} ${ARGOSY_PCH_PROTO_HEADERS} ${ARGOSY_PCH_CAF_HEADERS}
  LIBS CAF::core argosy_proto)
