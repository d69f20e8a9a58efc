// SPDX-License-Identifier: Apache-2.0

import RestNetworking

/// Returns the code of the ``NetworkingError`` that a closure throws; `nil` otherwise.
func code<Result>(of work: () throws -> Result) -> NetworkingError.Code? {
    do {
        _ = try work()
        return nil
    } catch {
        return (error as? NetworkingError)?.code
    }
}

/// Returns the ``NetworkingError`` that a closure throws; `nil` otherwise.
func networkingError<Result>(
    of work: () async throws -> Result
) async -> NetworkingError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? NetworkingError
    }
}
