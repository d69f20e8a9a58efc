// SPDX-License-Identifier: Apache-2.0

/// The task-local marker of tasks that run an authorizer.
enum AuthorizationRefresh {
    /// The interceptor whose authorizer runs.
    ///
    /// Its requests pass, because they would otherwise wait for themselves.
    @TaskLocal static var interceptor: ObjectIdentifier?
}
