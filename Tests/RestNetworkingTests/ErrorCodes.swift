// SPDX-License-Identifier: Apache-2.0

import RestNetworking

/// The code of the ``NetworkingError`` that some work ends in, `nil` if it ends otherwise.
func code<Result>(of work: () throws -> Result) -> NetworkingError.Code? {
    do {
        _ = try work()
        return nil
    } catch {
        return (error as? NetworkingError)?.code
    }
}

/// The ``NetworkingError`` that some work ends in, `nil` if it ends otherwise.
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
