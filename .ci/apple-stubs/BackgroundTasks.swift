// SPDX-License-Identifier: Apache-2.0

// The declarations of BackgroundTasks that the package uses.

open class BGTask {
    open var expirationHandler: (() -> Void)?

    init() {}

    open func setTaskCompleted(success: Bool) {}
}
