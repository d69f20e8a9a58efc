// SPDX-License-Identifier: Apache-2.0

import RestDocument
public import RestMapping
import RestTransport

extension ObjectManager {
    /// Sends a request and updates an object with the representation in the response.
    ///
    /// ```swift
    /// let request = ObjectRequest<MappingResult>(.post, at: "humans", object: RequestObject(human))
    /// let response = try await api.send(request, updating: human)
    /// ```
    ///
    /// The response is mapped as by ``ObjectResponse/result(updating:)``, by the response
    /// descriptors that match. If the manager has no descriptors for responses of success, the whole
    /// document is mapped by the type's own mapping.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - target: The object to update. An instance of a class is changed in place; for a value,
    ///     the result contains an updated copy.
    /// - Returns: The objects by key path, including the target.
    /// - Throws: ``NetworkingError``, or `CancellationError`. The target is then unchanged.
    /// - Isolation: The target is updated in the caller's isolation. Receiving and parsing run
    ///   outside of it.
    public func send<Target: Mapped>(
        _ request: ObjectRequest<MappingResult>, updating target: Target
    ) async throws -> MappedResponse<MappingResult> {
        var assembled = try assemble(request)
        if !assembled.configuration.value.responseDescriptors.describesSuccess {
            assembled.expected = try assembled.configuration.value.defaults.descriptor(
                for: ExpectedMapping(of: Target.self))
        }
        return try await perform(assembled) { response in
            var report = MappingReport()
            defer { deliver(report, of: response) }
            let result = try response.result(updating: target, holding: nil, &report)
            await markMapped(response)
            return MappedResponse(result, response, report)
        }
    }
}

extension ObjectResponse {
    /// Maps the matches and updates an existing object with one of them.
    ///
    /// The first match that holds a single object of the target's type updates the target;
    /// properties that the representation does not contain keep their values. All other matches
    /// create new objects, as do lists. If there are no matches, as for the empty body of a 204
    /// response, the result is the unchanged target.
    ///
    /// - Parameter target: The object to update. An instance of a class is changed in place; for a
    ///   value, the result contains an updated copy.
    /// - Returns: The objects by key path.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/mappingFailed``. The target is
    ///   then unchanged.
    public func result<Target: Mapped>(
        updating target: Target
    ) throws(NetworkingError) -> MappingResult {
        var report = MappingReport()
        return try result(updating: target, holding: nil, &report)
    }

    /// Maps the matches with imported objects in place of their entities.
    package func result<Target: Mapped>(
        updating target: Target, holding entities: ResponseEntities?,
        _ report: inout MappingReport
    ) throws(NetworkingError) -> MappingResult {
        guard !matches.isEmpty else {
            let section = MappingResult.Section(keyPath: "", objects: [target])
            return MappingResult([section], report: report)
        }
        let updating = matches.firstIndex { $0.canUpdate(Target.self) }
        var objects: [[Any]] = []
        for (index, match) in matches.enumerated() {
            objects.append(index == updating ? [] : try newObjects(of: match, entities, &report))
        }
        // Last, so that the failure of another match leaves the target unchanged.
        if let updating {
            let match = matches[updating]
            objects[updating] = try wrappingMappingErrors { () throws(MappingError) in
                [
                    try match.plan.object(
                        updating: target, from: match.representation,
                        in: match.environment(entities), report: &report)
                ]
            }
        }
        let sections = zip(matches, objects).map { match, objects in
            MappingResult.Section(
                keyPath: SourcePath(match.descriptor.keyPath), objects: objects)
        }
        return MappingResult(sections, report: report)
    }
}

extension ResponseMatch {
    /// Returns a Boolean value that indicates whether the match is one object of a type.
    fileprivate func canUpdate(_ type: any Mapped.Type) -> Bool {
        guard representation.kind == .object, let subject = plan.table.subject else { return false }
        return subject == type
    }
}
