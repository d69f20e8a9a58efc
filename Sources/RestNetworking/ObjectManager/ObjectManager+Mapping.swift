// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestTransport

extension ObjectManager {
    /// Maps a response, then marks its stored response as mapped in the client's cache.
    ///
    /// All mapping of responses goes through this function, into new objects, existing objects and
    /// stores, so that no caller has to know about the cache.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - transform: Maps the response. If it throws, the stored response is not marked.
    /// - Returns: The result of the transform.
    /// - Throws: The error of the transform.
    package func map<Output>(
        _ response: ObjectResponse, _ transform: (ObjectResponse) async throws -> Output
    ) async throws -> Output {
        let output = try await transform(response)
        if let reference = response.cacheReference {
            await client.cache?.markMapped(reference)
        }
        return output
    }

    /// Returns the value of a response, or the empty value of the type if the body was empty.
    @concurrent
    func value<Value: MappableValue>(
        _ type: Value.Type, from response: ObjectResponse
    ) async throws -> sending Value {
        guard let match = response.matches.first else {
            if let type = type as? any EmptyResponseValue.Type,
                let empty = type.emptyValue() as? Value
            {
                return empty
            }
            throw response.error(.emptyResponse, stage: .mapping)
        }
        return try await map(response) { response in
            try response.value(type, of: match)
        }
    }

    /// Returns new objects of one type, of all matches of a response.
    @concurrent
    func objects<Object: Mapped>(
        _ type: Object.Type, from response: ObjectResponse
    ) async throws -> sending (objects: [Object], report: MappingReport) {
        try await map(response) { response in
            try response.objects(type)
        }
    }

    /// Returns new objects by key path, of all matches of a response.
    @concurrent
    func result(from response: ObjectResponse) async throws -> sending MappingResult {
        try await map(response) { response in
            try response.result()
        }
    }
}

extension ObjectResponse {
    fileprivate func value<Value: MappableValue>(
        _ type: Value.Type, of match: ResponseMatch
    ) throws(NetworkingError) -> Value {
        var report = MappingReport()
        return try wrappingMappingErrors { () throws(MappingError) in
            try match.plan.value(
                type, from: match.representation, in: match.environment, report: &report)
        }
    }

    fileprivate func objects<Object: Mapped>(
        _ type: Object.Type
    ) throws(NetworkingError) -> (objects: [Object], report: MappingReport) {
        var report = MappingReport()
        var objects: [Object] = []
        for match in matches {
            let more = try wrappingMappingErrors { () throws(MappingError) in
                try match.plan.objects(
                    type, from: match.representation, in: match.environment, report: &report)
            }
            if objects.isEmpty { objects = more } else { objects += more }
        }
        return (objects, report)
    }

    fileprivate func result() throws(NetworkingError) -> MappingResult {
        var report = MappingReport()
        var sections: [MappingResult.Section] = []
        for match in matches {
            let objects = try newObjects(of: match, &report)
            sections.append(
                MappingResult.Section(
                    keyPath: SourcePath(match.descriptor.keyPath), objects: objects))
        }
        return MappingResult(sections, report: report)
    }

    /// Returns new objects of a match, of the types that its mapping decides.
    func newObjects(
        of match: ResponseMatch, _ report: inout MappingReport
    ) throws(NetworkingError) -> [Any] {
        try wrappingMappingErrors { () throws(MappingError) in
            try match.plan.anyObjects(
                from: match.representation, in: match.environment, report: &report)
        }
    }

    /// Calls a closure and wraps its error in one that names the request.
    func wrappingMappingErrors<Result>(
        _ body: () throws(MappingError) -> Result
    ) throws(NetworkingError) -> Result {
        do throws(MappingError) {
            return try body()
        } catch {
            throw self.error(.mappingFailed, stage: .mapping, path: error.path, underlying: error)
        }
    }
}
