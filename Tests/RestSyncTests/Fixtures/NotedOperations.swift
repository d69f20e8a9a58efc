// SPDX-License-Identifier: Apache-2.0

import RestKit

/// A kind of operations that notes the paths of those that it performs.
struct NotedOperations: OperationKind {
    let performed: Journal

    func response<Value>(
        of execution: OperationExecution<Value>
    ) async throws -> sending MappedResponse<Value> {
        performed.add(execution.request.url.path)
        return try await execution.map(execution.receive())
    }
}
