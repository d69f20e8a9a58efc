// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The settings of a run of the tests, which are in its environment.
///
/// Tests with random input run as many cases in the gate as find most faults. `scripts/nightly` sets their
/// numbers, to find the others.
package enum TestEnvironment {
    /// Returns the number in a variable; `nil` if the variable is not set.
    ///
    /// - Precondition: The variable has a number of the type, so that no misspelled one has no effect.
    package static func number<Number: LosslessStringConvertible>(_ name: String) -> Number? {
        guard let text = ProcessInfo.processInfo.environment[name] else { return nil }
        guard let number = Number(text) else {
            preconditionFailure("\(name) is not a number of the type \(Number.self): \(text)")
        }
        return number
    }
}
