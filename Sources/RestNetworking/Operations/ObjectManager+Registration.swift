// SPDX-License-Identifier: Apache-2.0

public import RestTransport

extension ObjectManager {
    /// Registers a kind of operations.
    ///
    /// When an operation is created, the kinds that are registered for its destination are
    /// consulted, the newest first. A kind of a type that was registered before for the destination
    /// replaces that one and becomes the newest. Operations that exist already are not affected.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - destination: The destination of the operations' objects.
    public func register(
        _ kind: some OperationKind, for destination: OperationDestination = .objects
    ) {
        configure { $0.operationRegistry.register(kind, for: destination) }
    }

    /// Removes the kind of operations that has a type, for all destinations.
    public func unregister<Kind: OperationKind>(_ type: Kind.Type) {
        configure { $0.operationRegistry.unregister(type) }
    }

    /// Registers a transport for later requests, in place of the client's.
    ///
    /// All stages of the ``client`` above its transport stay in effect. When a request is sent, the
    /// registered transports are consulted, the newest first. A transport of a type that was
    /// registered before replaces that one and becomes the newest. Requests that were assembled
    /// before are not affected.
    ///
    /// - Parameters:
    ///   - transport: The transport.
    ///   - canProcess: Returns a Boolean value that indicates whether the transport sends a request.
    public func register(
        _ transport: some HTTPTransport,
        where canProcess: @escaping @Sendable (TransportRequest) -> Bool = { _ in true }
    ) {
        configure {
            $0.operationRegistry.register(transport, canProcess: canProcess)
        }
    }

    /// Removes the registered transport that has a type.
    public func unregister<Transport: HTTPTransport>(_ type: Transport.Type) {
        configure { $0.operationRegistry.unregister(type) }
    }
}
