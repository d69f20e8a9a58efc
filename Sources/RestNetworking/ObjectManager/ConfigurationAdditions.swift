// SPDX-License-Identifier: Apache-2.0

/// The values that other targets add to the configuration of an ``ObjectManager``, one of each type.
package struct ConfigurationAdditions: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// The value of a type; `nil` if there is none.
    package subscript<Value: Sendable>(type: Value.Type) -> Value? {
        get { values[ObjectIdentifier(type)] as? Value }
        set { values[ObjectIdentifier(type)] = newValue }
    }
}
