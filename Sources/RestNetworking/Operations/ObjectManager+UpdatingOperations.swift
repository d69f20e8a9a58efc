// SPDX-License-Identifier: Apache-2.0

public import RestMapping

extension ObjectManager {
    /// Returns an operation whose response updates a copy of a value, without enqueueing it.
    ///
    /// The response is mapped as by ``ObjectResponse/result(updating:)``. For an object of a class, see
    /// ``operation(for:updatingInPlace:isolation:)``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - target: The value. The result contains its updated copy.
    /// - Returns: The operation.
    /// - Throws: ``NetworkingError`` if the request cannot be assembled.
    public func operation<Target: Mapped & Sendable>(
        for request: ObjectRequest<MappingResult>, updating target: Target
    ) throws(NetworkingError) -> ObjectRequestOperation<MappingResult> {
        var assembled = try assemble(request)
        try assembled.update(target)
        return ObjectRequestOperation(assembled, manager: self)
    }

    /// Returns an operation whose response updates an object of a class in place, without enqueueing it.
    ///
    /// The object is updated on the actor on which this function is called, as by
    /// ``ObjectResponse/result(updating:)``. Nobody has to wait for it, and the operation executes until the
    /// object is updated. Copies update the same object. It is unchanged if the operation fails, or is cancelled
    /// before.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - target: The object.
    ///   - isolation: The actor of the caller. Outside of an actor, an object belongs to a task; use
    ///     ``send(_:updating:)``.
    /// - Returns: The operation, which has no value.
    /// - Throws: ``NetworkingError`` if the request cannot be assembled, or the caller is not on an actor.
    /// - Source: `targetObject` of `RKObjectRequestOperation`.
    public func operation<Target: Mapped & AnyObject>(
        for request: ObjectRequest<MappingResult>, updatingInPlace target: Target,
        isolation: isolated (any Actor)? = #isolation
    ) throws(NetworkingError) -> ObjectRequestOperation<Void> {
        let owned = try IsolatedValue(
            target, isolation: isolation, alternative: "await 'api.send(_:updating:)'")
        var assembled = try assemble(request)
        try assembled.expect(Target.self)
        let update: ResponseReading<Void>.Import = { response, report in
            try await owned.update(by: response, &report)
        }
        return ObjectRequestOperation(
            assembled.read(
                by: ResponseReading(
                    expectation: assembled.reading.expectation, importing: update, copies: update)),
            manager: self)
    }

    /// Assembles a request and enqueues an operation whose response updates a copy of a value.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - target: The value. The result contains its updated copy.
    /// - Returns: The operation.
    /// - Throws: ``NetworkingError`` if the request cannot be assembled. Nothing is then enqueued.
    @discardableResult
    public func enqueue<Target: Mapped & Sendable>(
        _ request: ObjectRequest<MappingResult>, updating target: Target
    ) throws(NetworkingError) -> ObjectRequestOperation<MappingResult> {
        try enqueue(operation(for: request, updating: target))
    }
}

extension ObjectRequestOperation<MappingResult> {
    /// Returns a copy of the operation whose response updates a copy of a value.
    ///
    /// - Parameter target: The value. The result contains its updated copy.
    /// - Returns: A new operation, as from ``copy()``.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if the
    ///   type's own mapping is used and is invalid.
    public func copy<Target: Mapped & Sendable>(
        updating target: Target
    ) throws(NetworkingError) -> ObjectRequestOperation {
        try copy { assembled throws(NetworkingError) in try assembled.update(target) }
    }
}

extension IsolatedValue where Value: Mapped {
    /// Updates the object by a response, on its actor.
    fileprivate func update(
        by response: ObjectResponse, _ report: inout MappingReport
    ) async throws {
        try await update(by: response, &report, isolation: actor)
    }

    private func update(
        by response: ObjectResponse, _ report: inout MappingReport, isolation: isolated any Actor
    ) async throws {
        try Task.checkCancellation()
        _ = try response.result(updating: value(in: isolation), holding: nil, &report)
    }
}

extension AssembledRequest<MappingResult> {
    /// Sets the mapping of a response of success to that of a type, if the manager has no descriptors.
    fileprivate mutating func expect<Target: Mapped>(
        _ type: Target.Type
    ) throws(NetworkingError) {
        if configuration.value.responseDescriptors.describesSuccess { return }
        expected = try configuration.value.defaults.descriptor(for: ExpectedMapping(of: type))
    }

    /// Sets the value that the response updates a copy of.
    fileprivate mutating func update<Target: Mapped & Sendable>(
        _ target: Target
    ) throws(NetworkingError) {
        try expect(Target.self)
        reading = ResponseReading(expectation: reading.expectation) { response, entities, report in
            try response.result(updating: target, holding: entities, &report)
        }
    }
}
