// SPDX-License-Identifier: Apache-2.0

package import RestMapping

// Calls that are operations of the queue, and whose responses their callers map.

extension ObjectManager {
    /// Sends a request as an operation that ends with the response, which the caller maps later.
    ///
    /// - Parameters:
    ///   - request: The assembled request.
    ///   - destination: The destination for which the kind of the operation is registered.
    /// - Returns: The response.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    package func receive<Value>(
        _ request: AssembledRequest<Value>, into destination: OperationDestination = .objects
    ) async throws -> ObjectResponse {
        var received = request.read { response, _ in response }
        received.isMappedByCaller = true
        return try await ObjectRequestOperation(received, manager: self, into: destination)
            .call().value
    }

    /// Sends a request as an operation whose response a closure maps in the caller's isolation.
    ///
    /// - Parameters:
    ///   - request: The assembled request.
    ///   - destination: The destination for which the kind of the operation is registered.
    ///   - isolation: The caller's isolation, in which the closure is called.
    ///   - map: Maps the response, and adds issues and counts to the report.
    /// - Returns: The result of the closure, also if the operation was cancelled after it.
    /// - Throws: The errors of the request and of the closure, or `CancellationError`.
    package func perform<Value, Output>(
        _ request: AssembledRequest<Value>, into destination: OperationDestination,
        isolation: isolated (any Actor)? = #isolation,
        _ map: @escaping (ObjectResponse, inout MappingReport) async throws -> Output
    ) async throws -> Output {
        let output = CallerOutput<Output>()
        let work = CallerWork(isolation: isolation) { response, report in
            output.value = try await map(response, &report)
        }
        let operation: ObjectRequestOperation<Void> = operation(for: request, into: destination) {
            try await work($0, &$1)
        }
        do {
            _ = try await operation.call()
        } catch {
            guard operation.isCancelled, let value = output.value else { throw error }
            return value
        }
        guard let value = output.value else {
            throw operation.operation.error(
                .mappingFailed, stage: .mapping, cause: "the kind of the operation mapped nothing")
        }
        return value
    }
}

/// The result of a caller's work.
private final class CallerOutput<Value> {
    var value: Value?
}

/// Work that an operation does in the isolation of a caller.
///
/// Unchecked, because the closure refers to objects of the caller. The invariant: it is called in the caller's isolation;
/// a caller without one waits until the operation has ended, so that nobody else uses the objects.
package struct CallerWork: @unchecked Sendable {
    private let isolation: (any Actor)?
    private let body: (ObjectResponse, inout MappingReport) async throws -> Void

    package init(
        isolation: (any Actor)?,
        _ body: @escaping (ObjectResponse, inout MappingReport) async throws -> Void
    ) {
        self.isolation = isolation
        self.body = body
    }

    package func callAsFunction(
        _ response: ObjectResponse, _ report: inout MappingReport
    ) async throws {
        try await run(response, &report, isolation: isolation)
    }

    private func run(
        _ response: ObjectResponse, _ report: inout MappingReport,
        isolation: isolated (any Actor)?
    ) async throws {
        try await body(response, &report)
    }
}
