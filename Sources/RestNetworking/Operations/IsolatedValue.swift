// SPDX-License-Identifier: Apache-2.0

/// A value that belongs to an actor, and that an operation refers to until it uses the value there.
// Invariant: only functions in the isolation of the actor get the value.
package struct IsolatedValue<Value>: @unchecked Sendable {
    private let value: Value

    /// The actor.
    package let actor: any Actor

    /// Creates a value of the caller's actor.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isolation: The isolation of the caller.
    ///   - alternative: The calls to use outside of an actor, for the error.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` outside of an actor,
    ///   where the value belongs to a task, which can do something else when the response arrives.
    package init(
        _ value: Value, isolation: isolated (any Actor)?, alternative: String
    ) throws(NetworkingError) {
        guard let isolation else {
            throw NetworkingError(
                .invalidRequest, stage: .assembly,
                causes: [
                    "an operation changes an object on the actor that has created the operation, and there "
                        + "is none; \(alternative)"
                ])
        }
        self.value = value
        actor = isolation
    }

    /// Returns the value to a function in the isolation of the actor.
    package func value(in isolation: isolated any Actor) -> Value {
        precondition(isolation === actor, "the value belongs to another actor")
        return value
    }
}
