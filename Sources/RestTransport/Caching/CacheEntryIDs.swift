// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A generator of entry identifiers: a sequence without repetition and with a random start, so that
/// two processes with one storage do not choose the same identifiers.
///
/// A random number of the system for each identifier would take half the time of storing a
/// response.
final class CacheEntryIDs: Sendable {
    private let position = Atomic(UInt64.random(in: .min ... .max))

    /// Returns an identifier that was not returned before.
    func next() -> UInt64 {
        // The step and the mixing are those of SplitMix64, which is a bijection.
        var mixed = position.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
