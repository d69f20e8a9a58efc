// SPDX-License-Identifier: Apache-2.0

import Observation

/// A relay of a value that observable objects of the main actor have to a closure.
///
/// The closure receives the value at once, and again after each turn of the main actor in which it may
/// have changed, until the relay is released.
@MainActor
package final class ObservationRelay<Value> {
    private let value: () -> Value
    private let receive: (Value) -> Void

    /// Creates a relay and passes on the current value.
    ///
    /// - Parameters:
    ///   - value: Reads the value; the observable properties that it reads are observed.
    ///   - receive: Receives the value.
    package init(of value: @escaping () -> Value, to receive: @escaping (Value) -> Void) {
        self.value = value
        self.receive = receive
        follow()
    }

    private func follow() {
        let current = withObservationTracking(value) { [weak self] in
            // The value changes after this call.
            Task { @MainActor in self?.follow() }
        }
        receive(current)
    }
}
