// SPDX-License-Identifier: Apache-2.0
// This file declares how an event of any kind is converted between the model and argosy.log.v1. It
// is private to messages/codec.
#pragma once

#include "messages/codec/wire.hpp"
#include "runtime/model/event.hpp"

namespace argosy::codec {

/// A job_submitted is written without its specification when `with_spec` is false.
void to_wire(const model::event& event, bool with_spec, log::v1::Event& out);
/// Fails with ec::corrupt for an event of an unknown kind or with an impossible value.
[[nodiscard]] result<model::event> from_wire(const log::v1::Event& in);

}  // namespace argosy::codec
