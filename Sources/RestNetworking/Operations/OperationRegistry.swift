// SPDX-License-Identifier: Apache-2.0

import RestTransport

/// The kinds of operations and the transports that are registered with an ``ObjectManager``.
///
/// Each is identified by its type. Registering a type again replaces it and makes it the newest.
struct OperationRegistry: Sendable {
    private struct Registration: Sendable {
        let kind: any OperationKind
        let destination: OperationDestination
    }

    private struct Transport: Sendable {
        let transport: any HTTPTransport
        let canProcess: @Sendable (TransportRequest) -> Bool
    }

    /// The kinds, the oldest first.
    private var kinds: [Registration] = []

    /// The transports, the oldest first.
    private var transports: [Transport] = []

    mutating func register<Kind: OperationKind>(
        _ kind: Kind, for destination: OperationDestination
    ) {
        kinds.removeAll { $0.kind is Kind && $0.destination == destination }
        kinds.append(Registration(kind: kind, destination: destination))
    }

    mutating func unregister<Kind: OperationKind>(_ type: Kind.Type) {
        kinds.removeAll { $0.kind is Kind }
    }

    mutating func register<Transport: HTTPTransport>(
        _ transport: Transport, canProcess: @escaping @Sendable (TransportRequest) -> Bool
    ) {
        unregister(Transport.self)
        transports.append(Self.Transport(transport: transport, canProcess: canProcess))
    }

    mutating func unregister<Transport: HTTPTransport>(_ type: Transport.Type) {
        transports.removeAll { $0.transport is Transport }
    }

    /// Returns the newest kind for a destination that can process a request.
    func kind(
        for request: TransportRequest, into destination: OperationDestination
    ) -> any OperationKind {
        let registration = kinds.last { registration in
            registration.destination == destination && registration.kind.canProcess(request)
        }
        return registration?.kind ?? DefaultOperationKind()
    }

    /// Returns the newest transport for a request; `nil` for that of the client.
    func transport(for request: TransportRequest) -> (any HTTPTransport)? {
        transports.last { $0.canProcess(request) }?.transport
    }
}

extension ObjectManagerConfiguration {
    /// Returns the client for a request, with the newest registered transport that can process it.
    func client(for request: TransportRequest) -> HTTPClient {
        guard let transport = operationRegistry.transport(for: request) else { return client }
        var client = client
        client.transport = transport
        return client
    }
}
