// SPDX-License-Identifier: Apache-2.0
// What the library of HTTP/2 calls for a session, and what it is asked to send.
#pragma once

#include <nghttp2/nghttp2.h>

#include "runtime/rpc/session/session_core.hpp"

namespace argosy::rpc {

struct session_core::callbacks {
  [[nodiscard]] static nghttp2_session* make(session_core& of);

  static int begin_frame(nghttp2_session*, const nghttp2_frame_hd* head, void* self);
  static int begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* self);
  static int header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* self);
  static int frame(nghttp2_session*, const nghttp2_frame* frame, void* self);
  static int data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                  std::size_t size, void* self);
  static int sent(nghttp2_session*, const nghttp2_frame* frame, void* self);
  static int closed(nghttp2_session*, std::int32_t id, std::uint32_t, void* self);
  static ssize_t fill(nghttp2_session*, std::int32_t id, std::uint8_t* to, std::size_t size,
                      std::uint32_t* flags, nghttp2_data_source*, void* self);
};

}  // namespace argosy::rpc
