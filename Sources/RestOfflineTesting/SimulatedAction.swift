// SPDX-License-Identifier: Apache-2.0

import RestNetworking
public import RestPersistence
import RestSync
public import RestTesting

/// An action that a simulation of edits offline performs at random.
public struct SimulatedAction: Sendable {
    enum Kind: Sendable {
        case edit(@Sendable (ManagedObjectContext, inout SplitMix64) throws -> Void)
        case server(@Sendable (SimulatedAPI, inout SplitMix64) throws -> Void)
        case reload(@Sendable (ObjectManager, ManagedObjectStore) async throws -> Void)
    }

    let name: String
    let kind: Kind

    /// Returns an action of the user.
    ///
    /// - Parameters:
    ///   - name: The name in the steps of a failure.
    ///   - body: A closure that changes objects of a context, which is saved when it returns. If it throws, nothing
    ///     is saved.
    /// - Returns: The action.
    public static func edit(
        _ name: String,
        _ body: @escaping @Sendable (ManagedObjectContext, inout SplitMix64) throws -> Void
    ) -> SimulatedAction {
        SimulatedAction(name: name, kind: .edit(body))
    }

    /// Returns an action of another client of the server.
    ///
    /// - Parameters:
    ///   - name: The name in the steps of a failure.
    ///   - body: A closure that changes resources of the server.
    /// - Returns: The action.
    public static func elsewhere(
        _ name: String,
        _ body: @escaping @Sendable (SimulatedAPI, inout SplitMix64) throws -> Void
    ) -> SimulatedAction {
        SimulatedAction(name: name, kind: .server(body))
    }

    /// Returns an action that loads a list into the store.
    public static func reload<Object: ManagedEntity>(
        _ type: Object.Type, at path: String
    ) -> SimulatedAction {
        SimulatedAction(
            name: "reload \(path)",
            kind: .reload { api, store in
                _ = try await api.getObjects(type, at: path, into: store)
            })
    }
}

/// Collects the actions of a simulation.
@resultBuilder
public enum SimulatedActionBuilder {
    /// Returns the actions of a block.
    public static func buildBlock(_ actions: SimulatedAction...) -> [SimulatedAction] { actions }
}

/// A rule of a program that holds after every step of a simulation.
struct SimulatedInvariant: Sendable {
    let name: String
    let holds: @Sendable (ManagedObjectContext, SimulatedAPI) throws -> Bool
}
