;;; walk.el --- What a user does in Emacs with eglot: asks, agrees, applies, undoes -*- lexical-binding: t -*-

;; It also declines an edit, types while one is on its way, and cancels. Prints one line of JSON for the test.
;; Set before it is loaded: `walk-server', `walk-file', `walk-settings'.

(package-activate-all)                  ; Debian ships eglot as a package for Emacs 28; later ones bring it along
(require 'eglot)
(require 'json)

(defvar walk-server)                    ; the command, a list
(defvar walk-file)
(defvar walk-settings)                  ; for `eglot-workspace-configuration'
(defvar walk-seen '((messages) (questions) (confirmations) (titles) (logged)) "What the test hears of.")
(defvar walk-wanted nil "How the title of the action to choose begins.")
(defvar walk-confirm #'always "What a user does where eglot asks before an edit; whether it may be made.")

(defun walk-note (key &rest values)
  (setcdr (assq key walk-seen) (append (alist-get key walk-seen) values)))

(defun walk-finish (failure)
  (princ (concat "\n" (json-encode `((failure . ,failure) (emacs . ,emacs-version)
                                     ,@(mapcar (lambda (each) (cons (car each) (if (listp (cdr each))
                                                                                   (vconcat (cdr each))
                                                                                 (cdr each))))
                                               walk-seen)))
                 "\n"))
  (kill-emacs))

(defun walk-wait (what holds &optional seconds)
  "Let Emacs handle what comes until HOLDS gives non-nil."
  (let ((until (+ (float-time) (or seconds 240))))
    (while (not (funcall holds))
      (when (> (float-time) until) (walk-finish (concat "waited in vain for " what)))
      (accept-process-output nil 0.05)
      ;; Without a screen Emacs is never idle, so eglot tells of a change only when it asks something. Besides, Emacs 28
      ;; leaves what has come together with an answer unread until more comes.
      (eglot-code-actions (point)))))

(defun walk-choose (wanted)
  (setq walk-wanted wanted)
  (undo-boundary)
  (call-interactively #'eglot-code-actions))

(defun walk-undo ()
  (undo-boundary)                       ; which a command that is typed puts before itself
  (setq last-command nil)               ; not a second undo in a row
  (undo))

(defun walk-messages () (length (alist-get 'messages walk-seen)))

(defun walk-wait-for-message ()
  (let ((before (walk-messages)))
    (lambda () (> (walk-messages) before))))

;; Whether an action is listed whose title begins so.
(defun walk-lists (wanted)
  (seq-find (lambda (each) (string-prefix-p wanted (plist-get each :title))) (eglot-code-actions (point))))

(defun walk-children (pid)
  (seq-filter (lambda (each) (equal pid (alist-get 'ppid (process-attributes each)))) (list-system-processes)))

;; A user at the keyboard: takes the wanted action, the first answer elsewhere, and confirms or declines.

(defun walk-read (prompt choices &rest _)
  (let ((titles (mapcar (lambda (each) (if (consp each) (car each) each)) choices)))
    (if (not (string-match-p "Pick an action" prompt))
        (progn (walk-note 'questions prompt) (car titles))
      (setf (alist-get 'titles walk-seen) titles)
      (or (seq-find (lambda (each) (string-prefix-p walk-wanted each)) titles)
          (walk-finish (concat "there is no action " walk-wanted))))))

(setq completing-read-function #'walk-read)
(advice-add 'y-or-n-p :override (lambda (prompt) (walk-note 'confirmations prompt) (funcall walk-confirm)))
(setq last-nonmenu-event t)             ; the keyboard, not the mouse

(cl-defmethod eglot-handle-notification :after (_server (_method (eql window/showMessage)) &key message &allow-other-keys)
  (walk-note 'messages message))
(cl-defmethod eglot-handle-notification :after (_server (_method (eql window/logMessage)) &key message &allow-other-keys)
  (walk-note 'logged message))

(setq eglot-sync-connect t)
;; Emacs 30 has another name for it, and asks only about files that are not open unless it is told to.
(set (if (boundp 'eglot-confirm-server-edits) 'eglot-confirm-server-edits 'eglot-confirm-server-initiated-edits)
     'summary)
(setq-default eglot-workspace-configuration walk-settings)
(add-to-list 'eglot-server-programs `((python-mode python-ts-mode) . ,walk-server))

(find-file walk-file)
(call-interactively #'eglot)
(let* ((server (eglot-current-server))
       (pid (process-id (jsonrpc--process server)))
       typed came)
  (goto-char (point-max))
  (insert "\n\nSIZE = 3\n")             ; not saved, and not undone by the undo of the rewrite
  (undo-boundary)
  (setq typed (buffer-string))
  (search-backward "found = []")

  ;; Ask, agree, apply, undo.
  (setq came (walk-wait-for-message))
  (walk-choose "Optimize this function (")
  (walk-wait "the end of the run" came)
  (setf (alist-get 'after walk-seen) (buffer-string))
  (walk-undo)
  (setf (alist-get 'undone walk-seen) (if (equal (buffer-string) typed) t :json-false))

  ;; Decline the edit.
  (setq came (walk-wait-for-message) walk-confirm #'ignore)
  (walk-choose "Apply the proven rewrite")
  (walk-wait "what came of a declined edit" came 60)
  (unless (equal (buffer-string) typed) (walk-finish "the declined edit was made"))

  ;; The function changes while the edit is on its way.
  (setq came (walk-wait-for-message)
        walk-confirm (lambda ()
                       (with-current-buffer (find-buffer-visiting walk-file)
                         (save-excursion
                           (goto-char (point-min))
                           (search-forward "found = []\n")
                           (insert "    # typed\n"))
                         (eglot--signal-textDocument/didChange)) ; as Emacs does while it waits for the answer
                       t))
  (walk-choose "Apply the proven rewrite")
  (walk-wait "what came of a late edit" came 60)
  (setf (alist-get 'stale walk-seen) (buffer-string))
  (setq walk-confirm #'always)
  (walk-undo)
  (unless (equal (buffer-string) typed) (walk-finish "the text is not what was typed again"))

  ;; Cancel.
  (walk-choose "Optimize this function for memory")
  (walk-wait "the sandbox" (lambda () (walk-children pid)) 60)
  (walk-choose "Cancel: ")
  (walk-wait "the end of the sandbox" (lambda () (null (walk-children pid))) 30)
  (walk-wait "the end of the cancelled run" (lambda () (not (walk-lists "Cancel: "))) 30)

  ;; Leave while a run is going on.
  (walk-choose "Optimize this function for memory")
  (walk-wait "the sandbox again" (lambda () (walk-children pid)) 60)
  (setf (alist-get 'server walk-seen) pid)
  (setf (alist-get 'sandbox walk-seen) (walk-children pid))
  (eglot-shutdown server)
  (walk-finish nil))
