// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Numbers that tell stored responses apart: a sequence without repetition, begun by chance, so that
/// two processes with one storage do not choose the same.
///
/// Asking the system for each would be half the price of storing a response.
final class CacheEntryIDs: Sendable {
    private let position = Atomic(UInt64.random(in: .min ... .max))

    /// A number that was not given before.
    func next() -> UInt64 {
        // The step and the mixing are those of SplitMix64, which maps one to one.
        var mixed = position.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
