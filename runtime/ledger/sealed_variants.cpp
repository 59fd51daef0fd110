// SPDX-License-Identifier: Apache-2.0
// This file compiles how the ledger's large variants are made, copied, moved and destroyed.
#include "runtime/base/sealed_variant_impl.hpp"
#include "runtime/ledger/agent/executor_effect.hpp"
#include "runtime/ledger/change.hpp"
#include "runtime/ledger/cluster/cluster_effect.hpp"

template class argosy::sealed_variant<argosy::ledger::change_variant>;
template class argosy::sealed_variant<argosy::ledger::cluster_effect_variant>;
template class argosy::sealed_variant<argosy::ledger::executor_effect_variant>;
template class argosy::sealed_variant<argosy::ledger::executor_write_variant>;
