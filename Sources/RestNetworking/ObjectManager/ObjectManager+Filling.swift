// SPDX-License-Identifier: Apache-2.0

import RestDocument
public import RestMapping
public import RestTransport

extension ObjectManager {
    /// Sends a request about an object, and fills the object with what the response says of it.
    ///
    /// ```swift
    /// let request = try api.request(.post, at: "humans", parameters: ["name": "Blake"])
    /// let result = try await api.result(of: request, filling: human)
    /// ```
    ///
    /// As ``ObjectResponse/result(filling:)``. The response holds what descriptors say; to a manager
    /// to which none were added the whole document is the object.
    ///
    /// - Parameters:
    ///   - request: Made by ``request(_:at:parameters:)``.
    ///   - target: What the request is about; an instance of a class is filled itself, of a value
    ///     the result has a filled copy.
    /// - Returns: The objects by key path, the target among them.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the target is then as it was.
    /// - Isolation: The target is filled in the caller's isolation; receiving and parsing are not
    ///   done there.
    public func result<Target: Mapped>(
        of request: TransportRequest, filling target: Target
    ) async throws -> MappingResult {
        let expected = responseDescriptors.isEmpty ? try defaultDescriptor(for: Target.self) : nil
        let response = try await response(to: request, expecting: expected)
        let result = try response.result(filling: target)
        await markMapped(response)
        return result
    }
}

extension ObjectResponse {
    /// Makes the objects that the matches describe, one of them in an object that is there.
    ///
    /// The first match with a single object of the target's type fills it: properties that the
    /// representation does not name keep their values. All others make new objects, and so do lists.
    /// Where nothing matches, as with the empty body of a DELETE or a 204, the result is the target
    /// alone, unchanged.
    ///
    /// - Parameter target: An instance of a class is filled itself; of a value the result has a
    ///   filled copy.
    /// - Returns: The objects by key path.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/mappingFailed``; the target is
    ///   then as it was.
    public func result<Target: Mapped>(
        filling target: Target
    ) throws(NetworkingError) -> MappingResult {
        var report = MappingReport()
        guard !matches.isEmpty else {
            let section = MappingResult.Section(keyPath: "", objects: [target])
            return MappingResult([section], report: report)
        }
        let filled = matches.firstIndex { $0.canFill(Target.self) }
        var objects: [[Any]] = []
        for (index, match) in matches.enumerated() {
            objects.append(index == filled ? [] : try newObjects(of: match, &report))
        }
        // Last, so that a failure elsewhere leaves the target as it was.
        if let filled {
            let match = matches[filled]
            objects[filled] = try mapping { () throws(MappingError) in
                [
                    try match.plan.object(
                        updating: target, from: match.representation, in: match.environment,
                        report: &report)
                ]
            }
        }
        let sections = zip(matches, objects).map { match, objects in
            MappingResult.Section(
                keyPath: SourcePath(match.descriptor.keyPath), objects: objects)
        }
        return MappingResult(sections, report: report)
    }

    /// Makes new objects of a match, of whatever type its mapping is for.
    func newObjects(
        of match: ResponseMatch, _ report: inout MappingReport
    ) throws(NetworkingError) -> [Any] {
        try mapping { () throws(MappingError) in
            try match.plan.anyObjects(
                from: match.representation, in: match.environment, report: &report)
        }
    }
}

extension ResponseMatch {
    /// Whether the representation is one object and the mapping is for the type.
    fileprivate func canFill(_ type: any Mapped.Type) -> Bool {
        guard representation.kind == .object, let subject = plan.table.subject else { return false }
        return subject == type
    }
}
