// SPDX-License-Identifier: Apache-2.0
// SETTINGS, of which a process has one, changes settings while the process runs: it finds new ones,
// has the change written to the log, and hands them to the COORDINATOR and the ROOT.
#pragma once

#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/status.hpp"
#include "messages/native/settings.hpp"

namespace argosy::actors {

using settings_actor = caf::typed_actor<
    // Changes the settings; answered when that is durable and the COORDINATOR was sent them. Fails
    // as native::settings_source::look() does, and with ec::conflict if the last change is not the
    // expected one, and then nothing has changed.
    caf::replies_to<atom::settings,
                    native::settings_change_request>::with<native::settings_outcome_ptr>,
    // The process got SIGHUP: a reload, of whose outcome only the log of the process tells.
    caf::reacts_to<atom::settings>,
    // Answers the changes that are kept.
    caf::replies_to<atom::list>::with<native::settings_history_ptr>,
    // Answers the settings that run, as far as they may change.
    caf::replies_to<atom::list, atom::settings>::with<native::settings_listing_ptr>,
    // The JOURNAL says how an append ended.
    caf::reacts_to<atom::append, native::append_outcome>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::settings_change_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::settings_outcome_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::settings_history_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::settings_listing_ptr)
